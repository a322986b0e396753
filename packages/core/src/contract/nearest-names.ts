/** Maximum of edits between a misspelt word and a suggested name. */
const MOST_EDITS = 3;

/** Returns the names that are most like a misspelt word, in alphabetical order. */
export function nearestNames(word: string, names: readonly string[]): readonly string[] {
  const near = [...new Set(names)]
    .map((name) => ({ name, edits: editsBetween(word, name) }))
    .filter(({ edits, name }) => edits <= MOST_EDITS && edits < 0.6 * longerLength(word, name));
  const fewest = Math.min(...near.map(({ edits }) => edits));
  return near
    .filter(({ edits }) => edits === fewest)
    .map(({ name }) => name)
    .toSorted((one, other) => one.localeCompare(other));
}

function longerLength(one: string, other: string): number {
  return Math.max(one.length, other.length);
}

/** Counts the edits between two words: added, omitted, replaced or swapped letters (optimal string alignment). */
function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MOST_EDITS) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      line.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (line[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + same,
          swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, above] = [above, line];
  }
  return above[other.length] ?? 0;
}
