import { print } from "./print.ts";
import { safeJson } from "./safe-text.ts";
import { plainTable } from "./table.ts";

/**
 * The columns of a table: the head of each column, and a function that returns the column's cell for an item. An empty
 * cell is printed as "-".
 */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string | number | null>>;

/** The format of a printed list. */
export interface ListFormat<Item> {
  readonly json: boolean | undefined;
  /** The sentence for an empty list. */
  readonly none: string;
  readonly columns: Columns<Item>;
}

/** Prints a list as JSON or as a table. */
export async function printList<Item>(
  items: readonly Item[],
  { columns, json, none }: ListFormat<Item>,
): Promise<void> {
  if (json === true) await print(safeJson(items));
  else await print(items.length === 0 ? none : formatTable(items, columns));
}

/** Lays out a list as a table. */
export function formatTable<Item>(items: readonly Item[], columns: Columns<Item>): string {
  const rows = items.map((item) =>
    Object.values(columns).map((cellOf) => String(cellOf(item) ?? "") || "-"),
  );
  return plainTable(Object.keys(columns), rows).text;
}
