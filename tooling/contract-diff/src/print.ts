import { type ContractChange, compareLevels, levels, neededLevel } from "./contract.ts";

/** The heading of changes to the whole provider. */
const PROVIDER_HEADING = "The provider";

/**
 * Formats changes for people: a summary, then each operation with its changes, beginning with breaking changes.
 * @param title - the names of both versions for the first line
 */
export function printChanges(title: string, changes: readonly ContractChange[]): string {
  const needed = neededLevel(changes);
  if (needed === null) return `${title}: no changes\n`;
  const groups = Map.groupBy(changes, headingOf);
  const printed = Array.from(groups, ([heading, group]) => ({
    level: neededLevel(group) ?? "patch",
    text: [heading, ...group.toSorted(byLevel).map(lineOf)].join("\n"),
  }))
    .toSorted(byLevel)
    .map(({ text }) => text);
  const legend = Object.entries(levels).map(([level, text]) => `  ${level.padEnd(6)}${text}`);
  const summary = `${title}: ${countsOf(changes)}. The next release must be at least a ${needed}.`;
  return `${[summary, ...printed, legend.join("\n")].join("\n\n")}\n`;
}

function headingOf({ endpoint, operation }: ContractChange): string {
  return operation === null ? PROVIDER_HEADING : `${operation} (${endpoint})`;
}

type Levelled = Pick<ContractChange, "level">;

function byLevel(one: Levelled, other: Levelled): number {
  return compareLevels(one.level, other.level);
}

function lineOf({ level, pointer, text }: ContractChange): string {
  const line = `  ${level.padEnd(6)}${text}`;
  return pointer === "" ? line : `${line}\n        ${pointer}`;
}

function countsOf(changes: readonly ContractChange[]): string {
  return Object.keys(levels)
    .map((level) => [changes.filter((change) => change.level === level).length, level] as const)
    .filter(([count]) => count > 0)
    .map(([count, level]) => `${count} ${level}`)
    .join(", ");
}
