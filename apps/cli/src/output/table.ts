import { styleText } from "node:util";
import Table from "cli-table3";
import { safeText } from "./safe-text.ts";

/** The style of columns that are separated only by spaces. */
const plainStyle = {
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

/** A table without lines, whose columns are as wide as their contents. A terminal shows the head in bold type. */
export interface PlainTable {
  readonly text: string;
  /** The width in characters, as a terminal counts them. */
  readonly width: number;
}

/**
 * Maximum of rows that are laid out together, because the time of a layout grows with the square of the number of rows.
 */
const MAX_ROWS_PER_LAYOUT = 50;

/** Formats rows as a table, and escapes unsafe characters in the texts. An empty head is omitted. */
export function plainTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): PlainTable {
  const bold = head.map((name) => styleText("bold", safeText(name), { stream: process.stdout }));
  const pieces = rowGroupsOf(rows.map((row) => row.map(safeText)));
  const layouts = pieces.map((piece, index) => formatRows(index === 0 ? bold : [], piece, []));
  const widths = maxWidths(layouts.map(({ columns }) => columns));
  const [only, ...more] = layouts;
  const lines =
    only !== undefined && more.length === 0
      ? only.lines
      : pieces.flatMap((piece, index) => formatRows(index === 0 ? bold : [], piece, widths).lines);
  const gaps = 2 * Math.max(0, widths.length - 1);
  return { text: lines.join("\n"), width: widths.reduce((sum, width) => sum + width, gaps) };
}

function rowGroupsOf(rows: readonly (readonly string[])[]): readonly (readonly string[][])[] {
  const count = Math.max(1, Math.ceil(rows.length / MAX_ROWS_PER_LAYOUT));
  return Array.from({ length: count }, (_, index) =>
    rows
      .slice(index * MAX_ROWS_PER_LAYOUT, (index + 1) * MAX_ROWS_PER_LAYOUT)
      .map((row) => [...row]),
  );
}

/** Formats rows with columns of the given widths. Columns without a width are as wide as their contents. */
function formatRows(
  head: readonly string[],
  rows: readonly string[][],
  widths: readonly number[],
): { readonly lines: readonly string[]; readonly columns: readonly number[] } {
  const table = new Table({ ...plainStyle, head: [...head], colWidths: [...widths] });
  table.push(...rows);
  const lines = table.toString().split("\n");
  return {
    lines: lines.map((line) => line.trimEnd()),
    // The library's method `toString` has set these widths.
    columns: table.options.colWidths.map((width) => width ?? 0),
  };
}

function maxWidths(layouts: readonly (readonly number[])[]): readonly number[] {
  const widths: number[] = [];
  for (const layout of layouts)
    for (const [column, width] of layout.entries())
      widths[column] = Math.max(widths[column] ?? 0, width);
  return widths;
}
