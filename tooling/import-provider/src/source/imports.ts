/** Collects the imports of a file and writes them in the order of the repository's formatter. */
export interface Imports {
  /** Adds an import and returns its name. */
  add(from: string, name: string, isType?: boolean): string;
  /** Returns the import statements with an empty line after them; "" without imports. */
  print(): string;
}

/** Creates an empty list of imports. */
export function importList(): Imports {
  const modules = new Map<string, Map<string, boolean>>();
  return {
    add(from, name, isType = false) {
      const names = modules.get(from) ?? new Map<string, boolean>();
      modules.set(from, names);
      names.set(name, isType && (names.get(name) ?? true));
      return name;
    },
    print: () => {
      const statements = [...modules]
        .toSorted(([one], [other]) => compareModules(one, other))
        .map(([from, names]) => statement(from, [...names]));
      return statements.length === 0 ? "" : `${statements.join("\n")}\n\n`;
    },
  };
}

type Name = readonly [name: string, isType: boolean];

function statement(from: string, names: readonly Name[]): string {
  if (from === "zod/mini") return `import * as z from "zod/mini";`;
  const sorted = names.toSorted(([one], [other]) => compareNames(one, other));
  const areTypes = sorted.every(([, isType]) => isType);
  const listed = sorted.map(([name, isType]) => (isType && !areTypes ? `type ${name}` : name));
  const head = areTypes ? "import type" : "import";
  const line = `${head} { ${listed.join(", ")} } from "${from}";`;
  if (line.length <= 100) return line;
  return `${head} {\n${listed.map((name) => `  ${name},\n`).join("")}} from "${from}";`;
}

/** Compares two imported modules for sorting: packages before files, and files of outer folders before other files. */
function compareModules(one: string, other: string): number {
  const rank = (from: string): number =>
    from.startsWith("@") ? 0 : from.startsWith("../") ? 2 : from.startsWith("./") ? 3 : 1;
  return rank(one) - rank(other) || compareNames(stemOf(one), stemOf(other));
}

function stemOf(path: string): string {
  return path.replace(/\.ts$/, "");
}

/**
 * Compares names letter by letter without case; for equal letters, the capital is first. Numbers in names are compared
 * by value.
 */
function compareNames(one: string, other: string): number {
  const [left, right] = [one, other].map((name) => name.match(/\d+|\D/g) ?? []);
  for (const [index, part] of (left ?? []).entries()) {
    const their = right?.[index];
    if (their === undefined) return 1;
    if (part === their) continue;
    if (/^\d/.test(part) && /^\d/.test(their) && Number(part) !== Number(their))
      return Number(part) - Number(their);
    const [mine, theirs] = [part.toLowerCase(), their.toLowerCase()];
    if (mine !== theirs) return mine < theirs ? -1 : 1;
    return part < their ? -1 : 1;
  }
  return (left?.length ?? 0) - (right?.length ?? 0);
}
