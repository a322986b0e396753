import { isOtherPath, percentDecoded, Refusal } from "@insurance-gateway/core/runtime";

/** The parts of a request target (RFC 9112, section 3.2), still percent-encoded. */
export interface RequestTarget {
  /** The host in a target of the absolute form; null in the origin form. */
  readonly authority: string | null;
  readonly path: string;
  /** The query without its question mark. */
  readonly search: string;
}

/** A request target in the origin form, or in the absolute form with http or https. */
const TARGET_PATTERN = /^(?:https?:\/\/([^/?]*))?(\/[^?]*|(?=\?|$))(?:\?(.*))?$/i;
/** Characters that servers read in different ways: fragments, backslashes, and all except printable ASCII. */
const CONFUSING_CHARACTER = /[^\x21-\x7e]|[#\\]/;

/** Splits a request target in the origin form, or in the absolute form with http or https; null for other targets. */
export function splitTarget(target: string): RequestTarget | null {
  const [found, authority = null, path = "", search = ""] = TARGET_PATTERN.exec(target) ?? [];
  if (found === undefined || found === "" || CONFUSING_CHARACTER.test(target)) return null;
  if (authority === null && path === "") return null;
  return { authority, path: path === "" ? "/" : path, search };
}

/** Matches paths that could have a dot segment or an encoded character. */
const DOT_OR_ENCODED = /\/\.|%/;

/**
 * Returns the path of a target, still percent-encoded. A path that cannot be decoded has no route.
 * @throws Refusal if the path has an empty segment, or becomes another path by decoding or by removing dot segments
 */
export function pathOf({ path }: Pick<RequestTarget, "path">): string {
  const mayBeOther = DOT_OR_ENCODED.test(path);
  if (path.includes("//") || (mayBeOther && path.split("/").some(isOtherPath)))
    throw new Refusal("INVALID_REQUEST", {
      detail:
        "The path must have no empty segments, no . or .. and no encoded slashes, backslashes or control characters: a path parameter cannot have them.",
    });
  return path;
}

/**
 * Returns the query of a target without its first question mark, still percent-encoded.
 * @throws Refusal if the query is not percent-encoded UTF-8, which other servers would change
 */
export function searchOf({ search }: Pick<RequestTarget, "search">): string {
  if (percentDecoded(search) === null)
    throw new Refusal("INVALID_REQUEST", {
      detail: "The query must be percent-encoded UTF-8 (RFC 3986, section 2.1).",
    });
  // `URLSearchParams` would remove a question mark at the beginning of the query.
  return search.replace(/^\?/, "%3F");
}
