import type { Endpoint } from "../contract/endpoint.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { headersOfPaging, NEXT_CURSOR_HEADER, pagingOf, parsePage } from "../contract/paging.ts";
import { type QueryText, queryTexts } from "../contract/query.ts";

/** The insurer's answer to a search, with one page. */
export interface AnsweredPage {
  readonly value: unknown;
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The request for a page, with the insurer's names of the parameters. */
export interface AskedPage {
  /** The texts of all query parameters. */
  readonly query: readonly QueryText[];
  /** The name of the parameter for the position of a page. */
  readonly position: string;
}

/**
 * Returns the paging headers for the client. The insurer's `Link` is replaced by a cursor: the value of the position
 * parameter in the link's address.
 * @returns null if the next page cannot be requested with a cursor. The insurer's address itself is never a cursor:
 * clients must not learn it, and the gateway must not send credentials to an address from a client.
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
    const next = parsePage(paging, value, headers)?.next;
    const isAddress = typeof next === "string" && /^[a-z][a-z0-9+.-]*:\/\//i.test(next);
    return isAddress ? null : passed;
  }
  // The insurer's own header `next-cursor` is ignored.
  const { [NEXT_CURSOR_HEADER]: _, ...others } = passed;
  const address = nextLink(headers.link ?? "");
  if (address === null) return others;
  const cursor = cursorOf(
    address,
    asked ?? { query: queryTexts(query, endpoint.query), position: paging.position },
  );
  return cursor === null ? null : { ...others, [NEXT_CURSOR_HEADER]: cursor };
}

/** Returns the address of the next page in a `Link` header (RFC 8288, section 3), or null. */
function nextLink(header: string): string | null {
  for (const [, address = "", parameters = ""] of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, bare = ""] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
    if ((quoted ?? bare).toLowerCase().split(/\s+/).includes("next")) return address;
  }
  return null;
}

/**
 * Returns the cursor in the address of a next page; null without a single cursor, or if another query parameter differs
 * from the last request.
 */
function cursorOf(address: string, { position, query: asked }: AskedPage): string | null {
  const [, query = ""] = /^[^?#]*\?([^#]*)/.exec(address) ?? [];
  const parameters = [...new URLSearchParams(query)];
  const cursors = parameters.filter(([name]) => name === position);
  const same = new Set(asked.map((text) => JSON.stringify(text)));
  const isSameSearch = parameters.every(
    (parameter) => parameter[0] === position || same.has(JSON.stringify(parameter)),
  );
  const [first] = cursors;
  if (first === undefined || first[1] === "") return null;
  return cursors.length === 1 && isSameSearch ? first[1] : null;
}
