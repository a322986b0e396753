import { isPlainText } from "@insurance-gateway/core/contract";
import { Refusal } from "../../problems/refusal.ts";

/** What a part of a form says of itself. */
export interface PartHeader {
  /** The name of the field. */
  readonly name: string;
  /** What the sender calls the file; undefined where it says nothing. */
  readonly fileName: string | undefined;
  /** In lower case, without parameters; undefined where it says nothing. */
  readonly mediaType: string | undefined;
}

/** The headers of a part as the parser gives them: names in lower case, values as Latin-1. */
export type RawPartHeader = Readonly<Record<string, readonly string[] | undefined>>;

/** A quoted string, or a token (RFC 9110, section 5.6); browsers write a quotation mark as `%22`. */
const PARAMETER = /;\s*([\w*-]+)=(?:"((?:[^"\\\r\n]|\\["\\])*)"|([^\s";,]+))\s*/gy;
const MOST_NAME_CHARACTERS = 200;
/** What every transfer coding that changes nothing is called (RFC 7578, section 4.7, has no other). */
const UNCHANGED = ["7bit", "8bit", "binary"];

/**
 * Reads the headers of a part (RFC 7578, section 4) and refuses all that two readers could understand in two ways.
 * @throws Refusal
 */
export function readPartHeader(header: RawPartHeader): PartHeader {
  const disposition = single(header, "content-disposition");
  const parameters = /^form-data\s*(?=;|$)/i.test(disposition)
    ? parametersOf(disposition.replace(/^form-data\s*/i, ""))
    : null;
  const name = parameters?.get("name");
  if (name === undefined)
    throw malformed("Each part of a form needs a Content-Disposition of form-data with a name.");
  if (name === "" || name.length > MOST_NAME_CHARACTERS || !readings(name).every(isPlainText))
    throw malformed(
      `The name of a part must be plain text of 1 to ${MOST_NAME_CHARACTERS} characters.`,
    );
  const fileName = parameters?.get("filename");
  if (fileName !== undefined && !isFileName(fileName))
    throw malformed(
      `The name of a file must be plain text of at most ${MOST_NAME_CHARACTERS} characters without slashes and backslashes.`,
    );
  if (!UNCHANGED.includes(single(header, "content-transfer-encoding", "binary").toLowerCase()))
    throw malformed("Send each part as it is, without Content-Transfer-Encoding.");
  return { name, fileName: fileName === "" ? undefined : fileName, mediaType: mediaTypeIn(header) };
}

function mediaTypeIn(header: RawPartHeader): string | undefined {
  const [first = ""] = single(header, "content-type", "").split(";");
  const mediaType = first.trim().toLowerCase();
  if (mediaType === "") return undefined;
  if (!/^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(mediaType))
    throw malformed("The Content-Type of a part is not a media type.");
  if (mediaType.startsWith("multipart/"))
    throw malformed(
      "A part of a form cannot have parts itself; send each file as a part of its own.",
    );
  return mediaType;
}

/** The only value of a header. */
function single(header: RawPartHeader, name: string, otherwise = ""): string {
  const [value = otherwise, ...more] = header[name] ?? [];
  if (more.length > 0) throw malformed("A part of a form has the same header twice.");
  return value;
}

/** The parameters `name` and `filename`; null when there are others, one twice, or something that is none. */
function parametersOf(text: string): ReadonlyMap<string, string> | null {
  const found = new Map<string, string>();
  PARAMETER.lastIndex = 0;
  let end = 0;
  for (const [whole, parameter = "", quoted, token = ""] of text.matchAll(PARAMETER)) {
    end += whole.length;
    const key = parameter.toLowerCase();
    const value = decode(quoted?.replaceAll(/\\(["\\])/g, "$1") ?? token);
    if (!["name", "filename"].includes(key) || found.has(key) || value === null) return null;
    found.set(key, value);
  }
  return end === text.length ? found : null;
}

function decode(latin1: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(latin1, "latin1"));
  } catch {
    return null;
  }
}

/** No folder, nothing that a terminal or a page would show otherwise, and not one of the two names that mean a folder. */
function isFileName(name: string): boolean {
  return (
    name.length <= MOST_NAME_CHARACTERS &&
    readings(name).every(
      (text) => isPlainText(text) && !/[/\\]/.test(text) && text !== "." && text !== "..",
    )
  );
}

/**
 * A name, and what readers find in it that decode percent signs, once or several times: a browser writes a line break in a
 * name as `%0D%0A`.
 */
function readings(name: string): readonly string[] {
  const decoded = name.replaceAll(/(?:%[\da-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll("%", ""), "hex").toString(),
  );
  return decoded === name ? [name] : [name, ...readings(decoded)];
}

/** The refusal of a form that is not well-formed; the text repeats nothing of it. */
export function malformed(detail: string): Refusal {
  return new Refusal("INVALID_REQUEST", { detail });
}
