import { once } from "node:events";
import type { Readable } from "node:stream";
import { Dicer } from "@fastify/busboy";
import type { FormEntry, FormField, FormFields } from "@insurance-gateway/core/contract";
import { Refusal } from "../../problems/refusal.ts";
import { inBytes } from "../quantities.ts";
import { malformed, type PartHeader, type RawPartHeader, readPartHeader } from "./part-header.ts";
import type { RequestFiles } from "./uploads.ts";

/** What a form may be. */
export interface FormRules {
  readonly fields: FormFields;
  /** The most bytes of one file whose schema does not say. */
  readonly fileBytes: number;
  /** The most bytes of all its texts together. */
  readonly textBytes: number;
}

/** Reads one form, chunk by chunk. */
export interface FormReader {
  /** Takes the next bytes of the body; resolves when there is room for more. Throws a Refusal. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the body. Throws a Refusal. */
  end(): Promise<readonly FormEntry[]>;
}

/** More parts than any form has. */
const MOST_PARTS = 100;
const MOST_HEADERS = 16;
const MOST_HEADER_BYTES = 4_096;

/**
 * The boundary that a `multipart/form-data` content type names (RFC 2046, section 5.1.1).
 * @throws Refusal when it names none
 */
export function boundaryOf(contentType: string): string {
  const [, quoted, token] =
    /;\s*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+.-]{1,70}))\s*(?:;|$)/i.exec(
      contentType,
    ) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined)
    throw malformed(
      "A multipart/form-data body needs a boundary of 1 to 70 characters in its Content-Type.",
    );
  return boundary;
}

/** Makes the reader of a form. Its files go to disk while they come; its texts are kept. */
export function createFormReader(
  boundary: string,
  rules: FormRules,
  files: Pick<RequestFiles, "beginUpload">,
): FormReader {
  const limits = { maxHeaderPairs: MOST_HEADERS, maxHeaderSize: MOST_HEADER_BYTES };
  const parser = new Dicer({ boundary, ...limits });
  const failure = Promise.withResolvers<never>();
  // It is waited for only while something else is, too.
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
    // The parser reports the end of the body to the form, too.
    part.on("error", () => undefined);
    if (isInHeader) fail(malformed("A part of the form has no headers."));
    isInHeader = true;
    parts += 1;
    if (parts > MOST_PARTS) fail(malformed(`A form may have at most ${MOST_PARTS} parts.`));
    part.once("header", (header) => {
      isInHeader = false;
      if (parts > MOST_PARTS) return;
      taken = taken.then(() => take(part, header as RawPartHeader));
      taken.catch(fail);
    });
  });
  parser.on("error", () => fail(malformed("The form is not well-formed multipart/form-data.")));
  const finished = once(parser, "finish");
  finished.catch(() => undefined);

  return {
    async write(bytes) {
      if (!parser.write(bytes)) await Promise.race([failure.promise, once(parser, "drain")]);
      // A failure stops the reading at once, and not at its end.
      if (failed !== null) throw failed.error;
    },
    async end() {
      parser.end();
      await Promise.race([failure.promise, finished.then(() => taken)]);
      if (isInHeader) throw malformed("A part of the form has no headers.");
      return entries;
    },
  };
}

/** Makes the reader of a form's parts, one after the other. */
function createPartReader(
  { fields, fileBytes, textBytes: mostTextBytes }: FormRules,
  files: Pick<RequestFiles, "beginUpload">,
): (part: Readable, header: PartHeader) => Promise<FormEntry> {
  let textBytes = 0;

  async function textOf(part: Readable): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of part) {
      textBytes += chunk.length;
      if (textBytes > mostTextBytes)
        throw tooLarge(
          `The fields of a form that are not files may have at most ${inBytes(mostTextBytes)}.`,
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
        throw tooLarge(`The file ${header.name} may have at most ${inBytes(limit)}.`);
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
    throw malformed("A field of the form is not UTF-8.");
  }
}

function tooLarge(detail: string): Refusal {
  return new Refusal("PAYLOAD_TOO_LARGE", { detail });
}
