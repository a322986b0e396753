import { once } from "node:events";
import type { Readable } from "node:stream";
import { Dicer } from "@fastify/busboy";
import {
  type FormEntry,
  type FormField,
  type FormFields,
  isPlainText,
  Refusal,
} from "@insurance-gateway/core/runtime";
import { formatBytes } from "../quantities.ts";
import type { RequestFiles } from "./uploads.ts";

/** The limits of a form with files. */
export interface FormLimits {
  readonly fields: FormFields;
  /** Maximum bytes of one file whose schema has no limit. */
  readonly fileBytes: number;
  /** Maximum bytes of all text fields together. */
  readonly textBytes: number;
}

/** Maximum number of parts of a form; no declared form has more. */
const MAX_PARTS = 100;
const MAX_PART_HEADERS = 16;
const MAX_PART_HEADER_BYTES = 4_096;

/**
 * Returns the boundary that a `multipart/form-data` content type names (RFC 2046, section 5.1.1).
 * @throws Refusal if there is no valid boundary
 */
export function boundaryOf(contentType: string): string {
  const [, quoted, token] =
    /;\s*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+.-]{1,70}))\s*(?:;|$)/i.exec(
      contentType,
    ) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined)
    throw malformedForm(
      "A multipart/form-data body needs a boundary of 1 to 70 characters in its Content-Type.",
    );
  return boundary;
}

/** Creates the reader of a form. The reader writes arriving files to disk and keeps texts in memory. */
export function createFormReader(
  boundary: string,
  rules: FormLimits,
  files: Pick<RequestFiles, "beginUpload">,
) {
  const limits = { maxHeaderPairs: MAX_PART_HEADERS, maxHeaderSize: MAX_PART_HEADER_BYTES };
  const parser = new Dicer({ boundary, ...limits });
  const failure = Promise.withResolvers<never>();
  // Prevents an unhandled rejection: the promise is awaited only later, together with others.
  failure.promise.catch(() => undefined);
  let failed: { readonly error: unknown } | null = null;
  const fail = (error: unknown): void => {
    failed ??= { error };
    failure.reject(error);
  };
  const entries: FormEntry[] = [];
  const readPart = createPartReader(rules, files);
  const take = async (part: Readable, header: RawPartHeader): Promise<void> => {
    entries.push(await readPart(part, readPartHeader(header)));
  };
  let parts = 0;
  let isInHeader = false;
  let taken: Promise<void> = Promise.resolve();

  parser.on("part", (part) => {
    // The parser also reports the error of a part to the whole form, which handles it.
    part.on("error", () => undefined);
    if (isInHeader) fail(malformedForm("A part of the form has no headers."));
    isInHeader = true;
    parts += 1;
    if (parts > MAX_PARTS) fail(malformedForm(`A form may have at most ${MAX_PARTS} parts.`));
    part.once("header", (header) => {
      isInHeader = false;
      if (parts > MAX_PARTS) return;
      taken = taken.then(() => take(part, header as RawPartHeader));
      taken.catch(fail);
    });
  });
  parser.on("error", () => fail(malformedForm("The form is not well-formed multipart/form-data.")));
  const finished = once(parser, "finish");
  finished.catch(() => undefined);

  return {
    /**
     * Processes the next bytes of the body; resolves when there is room for more. Throws a Refusal if the form is
     * refused.
     */
    async write(bytes: Uint8Array): Promise<void> {
      if (!parser.write(bytes)) await Promise.race([failure.promise, once(parser, "drain")]);
      // A failure ends the reading at once, not only at the end of the body.
      if (failed !== null) throw failed.error;
    },
    /** Ends the body, and returns the form's entries. Throws a Refusal if the form is refused. */
    async end(): Promise<readonly FormEntry[]> {
      parser.end();
      await Promise.race([failure.promise, finished.then(() => taken)]);
      if (isInHeader) throw malformedForm("A part of the form has no headers.");
      return entries;
    },
  };
}

/** Creates the reader that reads a form's parts one after the other. */
function createPartReader(
  { fields, fileBytes, textBytes: mostTextBytes }: FormLimits,
  files: Pick<RequestFiles, "beginUpload">,
): (part: Readable, header: PartHeader) => Promise<FormEntry> {
  let textBytes = 0;

  async function textOf(part: Readable): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of part) {
      textBytes += chunk.length;
      if (textBytes > mostTextBytes)
        throw formTooLarge(
          `All fields of a form that are not files may have at most ${formatBytes(mostTextBytes)} together.`,
        );
      chunks.push(chunk);
    }
    return decodeText(Buffer.concat(chunks));
  }

  async function fileOf(part: Readable, header: PartHeader, field: FormField): Promise<FormEntry> {
    const limit = field.maxBytes ?? fileBytes;
    const upload = await files.beginUpload();
    let bytes = 0;
    for await (const chunk of part) {
      bytes += chunk.length;
      if (bytes > limit)
        throw formTooLarge(`The file ${header.name} may have at most ${formatBytes(limit)}.`);
      await upload.write(chunk);
    }
    const { fileName, mediaType = "application/octet-stream", name } = header;
    return [
      name,
      await upload.finish({ mediaType, ...(fileName === undefined ? {} : { name: fileName }) }),
    ];
  }

  return async (part, header) => {
    const field = Object.hasOwn(fields, header.name) ? fields[header.name] : undefined;
    return field?.type === "file" ? fileOf(part, header, field) : [header.name, await textOf(part)];
  };
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformedForm("A field of the form is not UTF-8.");
  }
}

function formTooLarge(detail: string): Refusal {
  return new Refusal("PAYLOAD_TOO_LARGE", { detail });
}

/** The headers of a part of a form. */
interface PartHeader {
  /** The name of the field. */
  readonly name: string;
  /** The sender's name for the file; undefined if the part has no file name. */
  readonly fileName: string | undefined;
  /** The media type in lower case, without parameters; undefined if the part has no media type. */
  readonly mediaType: string | undefined;
}

/** The headers of a part as the parser gives them: names in lower case, values as Latin-1. */
type RawPartHeader = Readonly<Record<string, readonly string[] | undefined>>;

/** A quoted string, or a token (RFC 9110, section 5.6); browsers write a quotation mark as `%22`. */
const PARAMETER_PATTERN = /;\s*([\w*-]+)=(?:"((?:[^"\\\r\n]|\\["\\])*)"|([^\s";,]+))\s*/gy;
const MAX_NAME_CHARACTERS = 200;
/** Transfer codings that do not change the content (RFC 7578, section 4.7, allows no other). */
const UNCHANGING_ENCODINGS = ["7bit", "8bit", "binary"];

/**
 * Reads the headers of a part (RFC 7578, section 4).
 * @throws Refusal if two readers could understand the headers in two ways
 */
export function readPartHeader(header: RawPartHeader): PartHeader {
  const disposition = singleValue(header, "content-disposition");
  const parameters = /^form-data\s*(?=;|$)/i.test(disposition)
    ? namesInParameters(disposition.replace(/^form-data\s*/i, ""))
    : null;
  const name = parameters?.get("name");
  if (name === undefined)
    throw malformedForm(
      "Each part of a form needs a Content-Disposition of form-data with a name.",
    );
  if (name === "" || name.length > MAX_NAME_CHARACTERS || !possibleNames(name).every(isPlainText))
    throw malformedForm(
      `The name of a part must be plain text of 1 to ${MAX_NAME_CHARACTERS} characters.`,
    );
  const fileName = parameters?.get("filename");
  if (fileName !== undefined && !isFileName(fileName))
    throw malformedForm(
      `The name of a file must be plain text of at most ${MAX_NAME_CHARACTERS} characters without slashes and backslashes.`,
    );
  if (
    !UNCHANGING_ENCODINGS.includes(
      singleValue(header, "content-transfer-encoding", "binary").toLowerCase(),
    )
  )
    throw malformedForm("Send each part as it is, without Content-Transfer-Encoding.");
  return { name, fileName: fileName === "" ? undefined : fileName, mediaType: mediaTypeIn(header) };
}

function mediaTypeIn(header: RawPartHeader): string | undefined {
  const [first = ""] = singleValue(header, "content-type", "").split(";");
  const mediaType = first.trim().toLowerCase();
  if (mediaType === "") return undefined;
  if (!/^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(mediaType))
    throw malformedForm("The Content-Type of a part is not a media type.");
  if (mediaType.startsWith("multipart/"))
    throw malformedForm(
      "A part of a form cannot have parts itself; send each file as a part of its own.",
    );
  return mediaType;
}

/** Returns the value of a header, or the default; refuses a header that occurs twice. */
function singleValue(header: RawPartHeader, name: string, otherwise = ""): string {
  const [value = otherwise, ...more] = header[name] ?? [];
  if (more.length > 0) throw malformedForm("A part of a form has the same header twice.");
  return value;
}

/** Returns the parameters `name` and `filename`; null if the text has other, repeated or malformed parameters. */
function namesInParameters(text: string): ReadonlyMap<string, string> | null {
  const found = new Map<string, string>();
  PARAMETER_PATTERN.lastIndex = 0;
  let end = 0;
  for (const [whole, parameter = "", quoted, token = ""] of text.matchAll(PARAMETER_PATTERN)) {
    end += whole.length;
    const key = parameter.toLowerCase();
    const value = decodeHeader(quoted?.replaceAll(/\\(["\\])/g, "$1") ?? token);
    if (!["name", "filename"].includes(key) || found.has(key) || value === null) return null;
    found.set(key, value);
  }
  return end === text.length ? found : null;
}

function decodeHeader(latin1: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(latin1, "latin1"));
  } catch {
    return null;
  }
}

/**
 * Reports whether a name is a plain file name, without a folder or confusing characters. `.` and `..` are not plain
 * file names.
 */
function isFileName(name: string): boolean {
  return (
    name.length <= MAX_NAME_CHARACTERS &&
    possibleNames(name).every(
      (text) => isPlainText(text) && !/[/\\]/.test(text) && text !== "." && text !== "..",
    )
  );
}

/**
 * Returns a name, and the names that result from decoding its percent signs once or several times: a browser writes a
 * line break in a name as `%0D%0A`.
 */
function possibleNames(name: string): readonly string[] {
  const decoded = name.replaceAll(/(?:%[\da-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll("%", ""), "hex").toString(),
  );
  return decoded === name ? [name] : [name, ...possibleNames(decoded)];
}

/** Returns the refusal of a malformed form; the refusal's text repeats no content of the form. */
function malformedForm(detail: string): Refusal {
  return new Refusal("INVALID_REQUEST", { detail });
}
