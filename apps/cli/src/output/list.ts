import { print } from "./print.ts";
import { safeJson } from "./safe-text.ts";
import { plainTable } from "./table.ts";

/** The columns of a table by their heads: each makes the cell of an item. A cell that is empty or null is "-". */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string | number | null>>;

/** How a list is printed. */
export interface ListForm<Item> {
  readonly json: boolean | undefined;
  /** The sentence that is printed for an empty list. */
  readonly none: string;
  readonly columns: Columns<Item>;
}

/** Prints a list as JSON or as a table. */
export async function printList<Item>(
  items: readonly Item[],
  { columns, json, none }: ListForm<Item>,
): Promise<void> {
  if (json === true) await print(safeJson(items));
  else await print(items.length === 0 ? none : tableOf(items, columns));
}

/** Lays out a list as a table. */
export function tableOf<Item>(items: readonly Item[], columns: Columns<Item>): string {
  const rows = items.map((item) =>
    Object.values(columns).map((cellOf) => String(cellOf(item) ?? "") || "-"),
  );
  return plainTable(Object.keys(columns), rows).text;
}
