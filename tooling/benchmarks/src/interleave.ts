/**
 * Measures every subject once per round, so that other load on the machine affects all of them. The order rotates by
 * one position each round, so no subject always follows the same subject.
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
