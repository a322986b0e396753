import { isOtherPath, percentDecoded, Refusal } from "@insurance-gateway/core/runtime";

/** The parts of a request target (RFC 9112, section 3.2), not decoded. */
export interface Target {
  /** The host of an absolute-form target; null in the origin-form. */
  readonly authority: string | null;
  readonly path: string;
  /** The query without its question mark. */
  readonly search: string;
}

/** A request target in origin-form, or in absolute-form with http or https. */
const TARGET = /^(?:https?:\/\/([^/?]*))?(\/[^?]*|(?=\?|$))(?:\?(.*))?$/i;
/** Characters outside of printable ASCII, and fragments and backslashes, which readers understand differently. */
const CONFUSING = /[^\x21-\x7e]|[#\\]/;

/** Splits a target in origin-form, or in absolute-form with http or https; null for any other target. */
export function readTarget(target: string): Target | null {
  const [found, authority = null, path = "", search = ""] = TARGET.exec(target) ?? [];
  if (found === undefined || found === "" || CONFUSING.test(target)) return null;
  if (authority === null && path === "") return null;
  return { authority, path: path === "" ? "/" : path, search };
}

/** Matches a path that may have a dot segment or an encoded character; `readTarget` refuses confusing characters. */
const DOT_OR_ENCODED = /\/\.|%/;

/**
 * Returns the path of a target, not decoded. For a path that cannot be decoded, the route table has no route.
 * @throws Refusal if a segment is empty, or is or becomes another path when it is decoded
 */
export function pathOf({ path }: Pick<Target, "path">): string {
  const mayBeOther = DOT_OR_ENCODED.test(path);
  if (path.includes("//") || (mayBeOther && path.split("/").some(isOtherPath)))
    throw new Refusal("INVALID_REQUEST", {
      detail:
        "The path must have no empty segments, no . or .. and no encoded slashes, backslashes or control characters: a path parameter cannot have them.",
    });
  return path;
}

/**
 * Returns the query of a target without its question mark, not decoded.
 * @throws Refusal if the query is not percent-encoded UTF-8, which other servers would change
 */
export function searchOf({ search }: Pick<Target, "search">): string {
  if (percentDecoded(search) === null)
    throw new Refusal("INVALID_REQUEST", {
      detail: "The query must be percent-encoded UTF-8 (RFC 3986, section 2.1).",
    });
  // URLSearchParams would remove another question mark at the beginning.
  return search.replace(/^\?/, "%3F");
}
