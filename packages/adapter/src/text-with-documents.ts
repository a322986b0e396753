import { randomUUID } from "node:crypto";

/** A message whose base64 documents (RFC 4648, section 4) were decoded. */
export interface TextWithDocuments {
  /** The message, in which a name replaces each document. */
  readonly text: string;
  /**
   * Reads a text of the message as a document. The text is a name, base64 that stayed in the message, or a mixture of
   * both, for example if an XML comment splits the base64.
   * @returns null if the base64 is not complete
   */
  readonly documentOf: (text: string) => Uint8Array | null;
}

/** Minimum number of bytes of a base64 text that is decoded as a document. */
const MIN_DOCUMENT_BYTES = 65_536;
/** Number of bytes of a document that are decoded at a time. */
const DECODED_CHUNK_BYTES = 65_536;

/**
 * Reads a message and decodes its documents in place, so that a document of 20 MB never becomes a string. A document is
 * a long text of base64 and white space between two tags, in a CDATA section, or between quotation marks. A document
 * with XML references or JSON escapes stays in the text.
 * @param bytes - in a charset that is compatible with ASCII; they are overwritten
 */
export function textWithDocuments(
  bytes: Uint8Array,
  decode: (bytes: Uint8Array) => string,
): TextWithDocuments {
  // Create a view on the same memory. The parameter is no Buffer, because a calling program may lack the types of Node.
  return replaceDocuments(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), decode);
}

function replaceDocuments(bytes: Buffer, decode: (bytes: Uint8Array) => string): TextWithDocuments {
  const documents = new Map<string, Buffer>();
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const run of documentRunsIn(bytes)) {
    const name = `document-${randomUUID()}`;
    parts.push(bytes.subarray(from, run.start), Buffer.from(name));
    documents.set(name, decodeInPlace(bytes, run));
    from = run.end;
  }
  const text = from === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(from)]);
  return { text: decode(text), documentOf: (written) => readDocument(written, documents) };
}

const DOCUMENT_NAMES = /document-[\da-f-]{36}/g;

function readDocument(text: string, documents: ReadonlyMap<string, Buffer>): Buffer | null {
  const named = documents.get(text.trim());
  if (named !== undefined) return named;
  // A part can end inside a group of four characters, so the parts are joined before they are decoded.
  const whole = text
    .replaceAll(DOCUMENT_NAMES, (name) => documents.get(name)?.toString("base64") ?? name)
    .replaceAll(/\s/g, "");
  const isWhole = whole !== "" && whole.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(whole);
  return isWhole ? Buffer.from(whole, "base64") : null;
}

/** The place of a base64 text in a message, and whether the text contains white space. */
interface Base64Run {
  readonly start: number;
  /** The position after the last byte. */
  readonly end: number;
  readonly isSpaced: boolean;
}

function* documentRunsIn(bytes: Buffer): Generator<Base64Run> {
  // Check only every MIN_DOCUMENT_BYTES / 2 bytes: a document is long enough to have one of these bytes.
  for (let at = MIN_DOCUMENT_BYTES / 2; at < bytes.byteLength; ) {
    let start = at;
    while (start > 0 && byteKindOf(bytes[start - 1]) !== OTHER_BYTE) start -= 1;
    const run = base64RunFrom(bytes, start);
    if (run.isWhole && run.end - start >= MIN_DOCUMENT_BYTES && isDelimited(bytes, run)) yield run;
    at = Math.max(run.end, at) + MIN_DOCUMENT_BYTES / 2;
  }
}

const OTHER_BYTE = 0;
const BASE64_BYTE = 1;
const SPACE_BYTE = 2;
const PADDING_BYTE = 3;

const kindByByte = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9+/]/.test(character)) return BASE64_BYTE;
  if (character === "=") return PADDING_BYTE;
  return /[\t\n\r ]/.test(character) ? SPACE_BYTE : OTHER_BYTE;
});

function byteKindOf(byte: number | undefined): number {
  return kindByByte[byte ?? 0] ?? OTHER_BYTE;
}

/** Finds the text of base64 and white space that begins at a byte, and reports whether the base64 is complete. */
function base64RunFrom(bytes: Buffer, start: number): Base64Run & { readonly isWhole: boolean } {
  let letters = 0;
  let padding = 0;
  let isPaddedAtEnd = true;
  let end = start;
  for (;;) {
    const first = end;
    while (kindByByte[bytes[end] ?? 0] === BASE64_BYTE) end += 1;
    letters += end - first;
    if (end > first && padding > 0) isPaddedAtEnd = false;
    const kind = byteKindOf(bytes[end]);
    if (kind === OTHER_BYTE) break;
    if (kind === PADDING_BYTE) padding += 1;
    end += 1;
  }
  const isWhole = letters > 0 && isPaddedAtEnd && padding <= 2 && (letters + padding) % 4 === 0;
  return { start, end, isWhole, isSpaced: letters + padding < end - start };
}

/** Reports whether a text is delimited as in XML or JSON. Base64 in JSON has no white space. */
function isDelimited(bytes: Buffer, { end, isSpaced, start }: Base64Run): boolean {
  const before = bytes.toString("latin1", Math.max(0, start - "CDATA[".length), start);
  const after = bytes.toString("latin1", end, end + 1);
  if (before.endsWith('"')) return after === '"' && !isSpaced;
  return before.endsWith(">") ? after === "<" : before === "CDATA[" && after === "]";
}

/** Decodes a document in place. The result is shorter, so the write position never overtakes the read position. */
function decodeInPlace(bytes: Buffer, { end, isSpaced, start }: Base64Run): Buffer {
  let written = start;
  let rest = "";
  for (let from = start; from < end; from += DECODED_CHUNK_BYTES) {
    const piece = bytes.toString("latin1", from, Math.min(from + DECODED_CHUNK_BYTES, end));
    const characters = rest + (isSpaced ? piece.replaceAll(/\s/g, "") : piece);
    const whole = characters.length - (characters.length % 4);
    written += bytes.write(characters.slice(0, whole), written, "base64");
    rest = characters.slice(whole);
  }
  return bytes.subarray(start, written);
}
