import { styleText } from "node:util";
import Table from "cli-table3";
import { safeText } from "./safe-text.ts";

/** Columns with nothing but space between them. */
const plain = {
  chars: {
    top: "",
    "top-mid": "",
    "top-left": "",
    "top-right": "",
    bottom: "",
    "bottom-mid": "",
    "bottom-left": "",
    "bottom-right": "",
    left: "",
    "left-mid": "",
    mid: "",
    "mid-mid": "",
    right: "",
    "right-mid": "",
    middle: "  ",
  },
  style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
};

/** Rows in plain columns, as wide as their contents; the head is bold on a terminal, unless NO_COLOR is set. */
export interface PlainTable {
  readonly text: string;
  /** In characters as a terminal counts them. */
  readonly width: number;
}

/** Lays out rows of texts, which may come from outside. An empty head is no head. */
export function plainTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): PlainTable {
  const table = new Table({
    ...plain,
    head: head.map((name) => styleText("bold", safeText(name), { stream: process.stdout })),
  });
  table.push(...rows.map((row) => row.map(safeText)));
  const lines = table.toString().split("\n");
  return { text: lines.map((line) => line.trimEnd()).join("\n"), width: table.width };
}
