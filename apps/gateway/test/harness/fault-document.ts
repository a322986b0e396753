import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TroubleName } from "../outcome-faults/fault-table.ts";
import { type Kind, kinds } from "./fault-calls.ts";
import { describeTrouble, type Row } from "./fault-rows.ts";

/** The documents with tables that tests write, by the name of the table. */
const pages = { faults: "faults.md", rare: "errors.md", statuses: "faults.md" } as const;

type TableName = keyof typeof pages;

/**
 * The kinds of calls in each column of the table. If the answers to these kinds differ, the table's cell shows both
 * answers.
 */
const columns: readonly (readonly Kind[])[] = [
  ["lookup"],
  ["search", "quote"],
  ["document"],
  ["submission"],
];

/** Returns the results of the calls during each fault as a Markdown table. */
export function tableOf(rows: ReadonlyMap<TroubleName, Row>): string {
  const heads = ["the insurer", ...columns.map((some) => some.join(", ")), "`Proxy-Status`"];
  const lines = [...rows].map(([trouble, { calls }]) => [
    describeTrouble(trouble),
    ...columns.map((some) => distinct(some.map((kind) => cellOf(calls[kind])))),
    distinct(kinds.flatMap((kind) => calls[kind].proxyStatus ?? []).map((said) => `\`${said}\``)),
  ]);
  return [heads, heads.map(() => "---"), ...lines]
    .map((cells) => `| ${cells.join(" | ")} |\n`)
    .join("");
}

/** Returns the text of a cell: the answer, and the number of requests to the insurer. */
export function cellOf({ answer, arrivals }: Row["unkeyed"]): string {
  return `${answer} · ${arrivals}`;
}

/** Returns a table as the documents contain it. */
export function documentedTable(name: TableName): string {
  return parts(name)[1];
}

/** Replaces a table in the documents. */
export function writeTable(name: TableName, table: string): void {
  const [before, , after] = parts(name);
  writeFileSync(pathOf(name), before + table + after);
}

function parts(name: TableName): readonly [before: string, table: string, after: string] {
  const text = readFileSync(pathOf(name), "utf8");
  const mark = `<!-- ${name}:begin -->\n`;
  const begin = text.indexOf(mark) + mark.length;
  const end = text.indexOf(`<!-- ${name}:end -->`, begin);
  if (begin < mark.length || end < 0)
    throw new Error(`docs/${pages[name]} has no place for ${name}`);
  return [text.slice(0, begin), text.slice(begin, end), text.slice(end)];
}

function pathOf(name: TableName): string {
  return fileURLToPath(new URL(`../../../../docs/${pages[name]}`, import.meta.url));
}

function distinct(texts: readonly string[]): string {
  return [...new Set(texts)].join(" or ");
}
