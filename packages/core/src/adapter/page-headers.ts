import type { Endpoint } from "../contract/endpoint.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { headersOfPaging, NEXT_CURSOR_HEADER, pageIn, pagingOf } from "../contract/paging.ts";
import { type QueryText, queryTexts } from "../contract/query.ts";

/** A page as the insurer answered it. */
export interface AnsweredPage {
  readonly value: unknown;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How an insurer was asked for a page, where it has other names for the parameters. */
export interface AskedPage {
  /** The texts of the whole query. */
  readonly query: readonly QueryText[];
  /** The name of the parameter that says where the page begins. */
  readonly position: string;
}

/**
 * The headers in which callers of a search get what the insurer says of a page. A `Link` becomes a cursor: the value of
 * the position parameter in its address.
 * @returns null when the next page cannot be requested with a cursor; an address of the insurer's is none, because
 *   callers do not learn it, and the gateway sends its credentials to no address that a caller gives
 */
export function headersOfPage(
  endpoint: Endpoint,
  { query }: Pick<CheckedInput, "query">,
  { headers, value }: AnsweredPage,
  asked?: AskedPage,
): Readonly<Record<string, string>> | null {
  const paging = pagingOf(endpoint);
  const passed = Object.fromEntries(
    headersOfPaging(paging).flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name]] as const],
    ),
  );
  if (paging.style !== "link") {
    const next = pageIn(paging, value, headers)?.next;
    const isAddress = typeof next === "string" && /^[a-z][a-z0-9+.-]*:\/\//i.test(next);
    return isAddress ? null : passed;
  }
  // The insurer's own header of this name says nothing.
  const { [NEXT_CURSOR_HEADER]: _, ...others } = passed;
  const address = nextLink(headers.link ?? "");
  if (address === null) return others;
  const cursor = cursorOf(
    address,
    asked ?? { query: queryTexts(query, endpoint.query), position: paging.position },
  );
  return cursor === null ? null : { ...others, [NEXT_CURSOR_HEADER]: cursor };
}

/** The address of the next page in a `Link` header (RFC 8288, section 3); null when it has none. */
function nextLink(header: string): string | null {
  for (const [, address = "", parameters = ""] of header.matchAll(/<([^>]*)>([^<]*)/g)) {
    const [, quoted, bare = ""] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
    if ((quoted ?? bare).toLowerCase().split(/\s+/).includes("next")) return address;
  }
  return null;
}

/** The cursor in the address of a next page; null when the address asks for anything else than was asked before. */
function cursorOf(address: string, { position, query: asked }: AskedPage): string | null {
  const [, query = ""] = /^[^?#]*\?([^#]*)/.exec(address) ?? [];
  const parameters = [...new URLSearchParams(query)];
  const cursors = parameters.filter(([name]) => name === position);
  const isSameSearch = parameters.every(
    ([name, value]) =>
      name === position || asked.some((text) => text[0] === name && text[1] === value),
  );
  const [first] = cursors;
  if (first === undefined || first[1] === "") return null;
  return cursors.length === 1 && isSameSearch ? first[1] : null;
}
