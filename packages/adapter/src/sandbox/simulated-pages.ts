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

/** The content from which the pages of a simulated search are created. */
export interface PageSource {
  readonly schema: Schema<unknown> | undefined;
  /** A page of an example. New pages copy the fields of this page, except the items and the paging fields. */
  readonly example: unknown;
  /** Pages of examples, whose items the search lists. */
  readonly lists: readonly unknown[];
  /** The stored answers of submissions, newest first. If they match the item's schema, they precede the other items. */
  readonly stored: readonly unknown[];
}

/** Creates the requested page. Returns the example unchanged if the created page would be invalid. */
export function simulatedPage(
  endpoint: Endpoint,
  input: CheckedInput,
  { example, lists, schema, stored }: PageSource,
): { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> } {
  const paging = pagingOf(endpoint);
  if (schema === undefined) return { body: example };
  const known = lists.flatMap((list) => pageItemsOf(paging, list));
  const own = stored.filter(
    (item) =>
      hasMostFieldsOf(item, known[0]) &&
      check(schema, withValueAt(example, paging.items, [item])).valid,
  );
  const all = withoutDuplicates([...own, ...known]);
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
    // On the last page, the field of the next page is missing or empty.
    [paging.next, next === null ? [undefined, null, ""] : [String(next), next]],
  ];
  const body = places.reduce<unknown>((made, [at, values]) => {
    if (typeof at !== "string") return made;
    const candidates = values.map((value) => withValueAt(made, at, value));
    return candidates.find((one) => check(schema, one).valid) ?? made;
  }, listed);
  return { body, headers: pagingHeadersOf(endpoint, input, all.length, next) };
}

/** Returns the items of a page. */
export function pageItemsOf({ items: at }: Paging, page: unknown): readonly unknown[] {
  const items = valueAt(page, at);
  return Array.isArray(items) ? items : [];
}

/**
 * Reports whether a value has more than half of the fields of an item. The schema alone is not enough: a schema with
 * only optional fields accepts every object.
 */
function hasMostFieldsOf(value: unknown, item: unknown): boolean {
  const names = Object.keys(Object(item));
  const common = names.filter((name) => Object.hasOwn(Object(value), name));
  return item === undefined || common.length * 2 > names.length;
}

function withoutDuplicates(items: readonly unknown[]): readonly unknown[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** Returns the number of items before a page. */
function itemsBefore(paging: Paging, { position, size }: PageRequest): number {
  // The cursor of a simulated search is the number of items before the page.
  const number = Number(position ?? 0);
  const passed = number - (hasNumberedPages(paging) ? (firstPosition(paging) ?? 0) : 0);
  return Number.isSafeInteger(passed) && passed >= 0
    ? passed * (paging.style === "page" ? size : 1)
    : 0;
}

function pagingHeadersOf(
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
