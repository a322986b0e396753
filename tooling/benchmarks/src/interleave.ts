/**
 * Measures every subject once a round, in turn, so that whatever else the machine does falls on all of them. The order is
 * turned by one from round to round: nobody is always measured after the same one.
 */
export async function interleave<Subject, Measured>(
  subjects: readonly Subject[],
  rounds: number,
  measure: (subject: Subject, round: number) => Promise<Measured>,
): Promise<ReadonlyMap<Subject, readonly Measured[]>> {
  const found = new Map<Subject, Measured[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % subjects.length;
    for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)])
      found.get(subject)?.push(await measure(subject, round));
  }
  return found;
}
