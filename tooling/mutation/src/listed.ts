import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "./fault.ts";

/** A row of `faults.json`: `replace` is in exactly one source file, once. The file may move without a change here. */
interface Row {
  readonly name: string;
  readonly replace: string;
  readonly by: string;
  readonly tests: readonly string[];
}

/**
 * Reads the faults that no tool makes.
 * @throws Error that lists the rows whose text the code does not have exactly once
 */
export function listedFaults(root: string): readonly Fault[] {
  const list = new URL("../faults.json", import.meta.url);
  // The file beside this folder.
  const rows = JSON.parse(readFileSync(list, "utf8")) as readonly Row[];
  const sources = globSync("{packages,apps}/*/src/**/*.ts", { cwd: root }).map(
    (file) => [file, readFileSync(join(root, file), "utf8")] as const,
  );
  const misfits: string[] = [];
  const faults = rows.flatMap(({ by, name, replace, tests }) => {
    const found = sources.filter(([, text]) => text.includes(replace));
    const [file = "", text = ""] = found[0] ?? [];
    const [before = "", after = "", ...more] = text.split(replace);
    if (found.length === 1 && more.length === 0)
      return [{ name, file, text: before + by + after, tests }];
    misfits.push(name);
    return [];
  });
  if (misfits.length === 0) return faults;
  throw new Error(`The code does not have the text of these exactly once:\n${misfits.join("\n")}`);
}
