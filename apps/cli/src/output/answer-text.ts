import { plainTable } from "./table.ts";

/** A JSON object of an answer. */
type JsonObject = Readonly<Record<string, unknown>>;

type NamedList = readonly [name: string, list: readonly unknown[]];

/**
 * Formats an answer for a person. A list becomes a table with one row for each item, or two columns for each item if
 * the table is wider than the terminal. An object becomes two columns, with the object's lists as tables below.
 * @param width - the width of the terminal in characters; Infinity without a terminal
 */
export function answerText(answer: unknown, width: number): string {
  if (Array.isArray(answer)) return listText(answer, width);
  if (!isObject(answer)) return objectText({ answer });
  const { items, ...rest } = answer;
  if (!Array.isArray(items)) return objectBlocks(answer, width).join("\n\n");
  return [listText(items, width), ...(isEmpty(rest) ? [] : [objectText(rest)])].join("\n\n");
}

/** Formats an object's own values as two columns, and each list of objects as a table under the list's name. */
function objectBlocks(object: JsonObject, width: number): readonly string[] {
  const { lists, values } = flatten(object);
  return [
    objectText(values),
    ...lists.map(([name, list]) => `${plainTable([name], []).text}\n${listText(list, width)}`),
  ];
}

function listText(items: readonly unknown[], width: number): string {
  if (items.length === 0) return "Nothing found.";
  const rows = items.map((item) => rowOf(isObject(item) ? item : { value: item }));
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  // If `policy` is an object in another item (`policy.id`), the columns of its fields are enough: omit `policy` itself.
  const columns = names.filter((name) => !names.some((other) => other.startsWith(`${name}.`)));
  const table = plainTable(
    columns,
    rows.map((row) => columns.map((name) => row[name] ?? "-")),
  );
  if (table.width <= width) return table.text;
  return rows.map((row) => plainTable([], Object.entries(row)).text).join("\n\n");
}

function objectText(object: JsonObject): string {
  return plainTable([], Object.entries(rowOf(object))).text;
}

/** Returns a cell for each value of an object. Nested names are joined with dots, and a list is one cell. */
function rowOf(object: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) =>
      isObject(value) && !isEmpty(value)
        ? Object.entries(rowOf(value)).map(([inner, text]) => [`${name}.${inner}`, text] as const)
        : [[name, cellOf(value)] as const],
    ),
  );
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (Array.isArray(value))
    return value.length === 0 ? "-" : value.map(cellOf).join(value.some(isObject) ? "; " : ", ");
  if (!isObject(value)) return String(value);
  return isEmpty(value)
    ? "-"
    : Object.entries(rowOf(value))
        .map(([name, text]) => `${name} ${text}`)
        .join(", ");
}

/** Separates an object's values from its lists of objects. Nested names are joined with dots. */
function flatten(object: JsonObject): {
  readonly values: JsonObject;
  readonly lists: readonly NamedList[];
} {
  const values: (readonly [name: string, value: unknown])[] = [];
  const lists: NamedList[] = [];
  for (const [name, value] of Object.entries(object)) {
    if (Array.isArray(value) && value.some(isObject)) lists.push([name, value]);
    else if (isObject(value) && !isEmpty(value)) {
      const inner = flatten(value);
      if (!isEmpty(inner.values)) values.push([name, inner.values]);
      lists.push(...inner.lists.map(([below, list]): NamedList => [`${name}.${below}`, list]));
    } else values.push([name, value]);
  }
  return { values: Object.fromEntries(values), lists };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}
