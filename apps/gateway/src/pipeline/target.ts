import { isOtherPath, percentDecoded, Refusal } from "@insurance-gateway/core/runtime";

/** A request target (RFC 9112, section 3.2), taken apart as it came, nothing decoded. */
export interface Target {
  /** The host of an absolute-form target; null in the origin-form. */
  readonly authority: string | null;
  readonly path: string;
  /** The query without its question mark. */
  readonly search: string;
}

/** A request target in printable ASCII; a fragment and a backslash mean different things to different readers. */
const TARGET = /^(?:https?:\/\/([^/?]*))?(\/[^?]*|(?=\?|$))(?:\?(.*))?$/i;
const CONFUSING = /[^\x21-\x7e]|[#\\]/;

/** Takes a target apart; gives null for any other than the origin-form and the absolute-form of http and https. */
export function readTarget(target: string): Target | null {
  const [found, authority = null, path = "", search = ""] = TARGET.exec(target) ?? [];
  if (found === undefined || found === "" || CONFUSING.test(target)) return null;
  if (authority === null && path === "") return null;
  return { authority, path: path === "" ? "/" : path, search };
}

/** A path without these has no dot segment and nothing encoded; `readTarget` has refused backslashes and control characters. */
const DOT_OR_ENCODED = /\/\.|%/;

/**
 * The path of a target, as it came. One that cannot be decoded is left to the route table, which has no route for it.
 * @throws Refusal when a segment of it is empty, or is or becomes another path when it is decoded
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
 * The query of a target without its question mark, as it came.
 * @throws Refusal when it cannot be decoded: what is no UTF-8 would become another value on its way
 */
export function searchOf({ search }: Pick<Target, "search">): string {
  if (percentDecoded(search) === null)
    throw new Refusal("INVALID_REQUEST", {
      detail: "The query must be percent-encoded UTF-8 (RFC 3986, section 2.1).",
    });
  // URLSearchParams would leave out another question mark at the beginning.
  return search.replace(/^\?/, "%3F");
}
