import {
  check,
  type Endpoint,
  type Paging,
  type Schema,
  valueAt,
} from "@insurance-gateway/core/contract";
import {
  type CheckedInput,
  encodeQuery,
  firstPosition,
  hasNumberedPages,
  type PageRequest,
  pagingOf,
  requestedPage,
  withValueAt,
} from "@insurance-gateway/core/runtime";

/** The content for the pages of a simulated search. */
export interface PageSource {
  readonly schema: Schema<unknown> | undefined;
  /** A page of the same form. */
  readonly example: unknown;
  /** Pages whose items are listed. */
  readonly lists: readonly unknown[];
  /** The answers of submissions, newest first. Those that have the form of an item precede the other items. */
  readonly stored: readonly unknown[];
}

/** Returns the requested page, or the unchanged example if no valid page can be created. */
export function pageOf(
  endpoint: Endpoint,
  input: CheckedInput,
  { example, lists, schema, stored }: PageSource,
): { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> } {
  const paging = pagingOf(endpoint);
  if (schema === undefined) return { body: example };
  const known = lists.flatMap((list) => itemsOf(paging, list));
  const own = stored.filter(
    (item) =>
      hasMuchOf(item, known[0]) && check(schema, withValueAt(example, paging.items, [item])).valid,
  );
  const all = distinct([...own, ...known]);
  const asked = requestedPage(paging, input);
  const { size } = asked;
  const skipped = itemsBefore(paging, asked);
  const listed = withValueAt(example, paging.items, all.slice(skipped, skipped + size));
  if (!check(schema, listed).valid) return { body: example };
  const next = skipped + size < all.length ? skipped + size : null;
  const { position } = asked;
  const places: readonly (readonly [at: unknown, values: readonly unknown[]])[] = [
    [paging.echo, [position, String(position)]],
    [paging.size.echo, [size]],
    [paging.total, [all.length, String(all.length)]],
    // The last page names no next page: the field is missing or empty.
    [paging.next, next === null ? [undefined, null, ""] : [String(next), next]],
  ];
  const body = places.reduce<unknown>((made, [at, values]) => {
    if (typeof at !== "string") return made;
    const candidates = values.map((value) => withValueAt(made, at, value));
    return candidates.find((one) => check(schema, one).valid) ?? made;
  }, listed);
  return { body, headers: headersOf(endpoint, input, all.length, next) };
}

/** The items of a page. */
export function itemsOf({ items: at }: Paging, page: unknown): readonly unknown[] {
  const items = valueAt(page, at);
  return Array.isArray(items) ? items : [];
}

/**
 * Whether a value has more than half of the fields of an item. A schema with only optional fields would accept
 * everything.
 */
function hasMuchOf(value: unknown, item: unknown): boolean {
  const names = Object.keys(Object(item));
  const common = names.filter((name) => Object.hasOwn(Object(value), name));
  return item === undefined || common.length * 2 > names.length;
}

function distinct(items: readonly unknown[]): readonly unknown[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** The number of items before a page. */
function itemsBefore(paging: Paging, { position, size }: PageRequest): number {
  // The cursor of a simulation is the number of items before the page.
  const number = Number(position ?? 0);
  const passed = number - (hasNumberedPages(paging) ? (firstPosition(paging) ?? 0) : 0);
  return Number.isSafeInteger(passed) && passed >= 0
    ? passed * (paging.style === "page" ? size : 1)
    : 0;
}

function headersOf(
  endpoint: Endpoint,
  { query }: CheckedInput,
  total: number,
  next: number | null,
): Readonly<Record<string, string>> {
  const { path, query: declared } = endpoint;
  const { next: nextAt, position, style, total: totalAt } = pagingOf(endpoint);
  const search = encodeQuery({ ...query, [position]: next ?? undefined }, declared);
  return {
    ...(typeof totalAt === "object" ? { [totalAt.header]: String(total) } : {}),
    ...(typeof nextAt === "object" && next !== null ? { [nextAt.header]: String(next) } : {}),
    ...(style === "link" && next !== null ? { link: `<${path}${search}>; rel="next"` } : {}),
  };
}
