import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { bodyFormatOf, type FilePart } from "@insurance-gateway/core/contract";
import { Refusal } from "../../problems/refusal.ts";
import { parseJson } from "../../validation/json.ts";

/** A flag that takes JSON from a file. */
export interface InputSource {
  /** With its dashes: `--body`. */
  readonly flag: string;
  /** A file, or `-` for standard input. */
  readonly file: string;
  /** How deep it may be nested. */
  readonly depth: number;
}

/**
 * Reads what a flag gives, by the rules that the gateway has for what it is sent; a mark of UTF-8 at the beginning, as
 * editors write it, is left out.
 * @param refuse - says what is wrong, without what was read, and ends the command
 */
export async function readSource(
  { depth, file, flag }: InputSource,
  refuse: (fault: string) => never,
): Promise<unknown> {
  const bytes = await readBytes(file, () => refuse(`${flag} names a file that cannot be read`));
  const encoding = encodingFault(bytes);
  if (encoding !== null) refuse(`${flag} ${encoding}`);
  const content = bytes.subarray(startsWith(bytes, [0xef, 0xbb, 0xbf]) ? 3 : 0);
  try {
    JSON.parse(new TextDecoder().decode(content));
  } catch (error) {
    // The rest of the message repeats what was read.
    const [place = ""] = /\(line \d+ column \d+\)$/.exec(String(error)) ?? [];
    refuse(`${flag} must be JSON ${place}`.trim());
  }
  try {
    return parseJson(content, depth);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refuse(`${flag} is refused as the gateway would refuse it. ${error.message}`);
  }
}

/**
 * Reads a body that is sent as it is: a text, or a file's bytes, which are read while they are sent.
 * @param file - a file, or `-` for standard input
 */
export async function readWhole(
  file: string,
  mediaType: string,
  refuse: (fault: string) => never,
): Promise<string | FilePart> {
  if (bodyFormatOf(mediaType) === "bytes")
    return { mediaType, content: file === "-" ? await buffer(process.stdin) : { path: file } };
  const bytes = await readBytes(file, () => refuse("--body names a file that cannot be read"));
  const encoding = encodingFault(bytes);
  if (encoding !== null) refuse(`--body ${encoding}`);
  return new TextDecoder().decode(bytes);
}

async function readBytes(file: string, refuse: () => never): Promise<Uint8Array> {
  try {
    return file === "-" ? await buffer(process.stdin) : readFileSync(file);
  } catch {
    return refuse();
  }
}

/** What is wrong with the encoding of a text, and how it is put right; null for UTF-8. */
function encodingFault(bytes: Uint8Array): string | null {
  const wide = wideEncodings.find(({ begins }) => begins.some((mark) => startsWith(bytes, mark)));
  if (wide !== undefined) return `is ${wide.name}; ${advice(wide.name)}`;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return null;
  } catch {
    return `is not UTF-8, but perhaps ISO-8859-7 or Windows-1253; ${advice("ISO-8859-7")}`;
  }
}

function advice(encoding: string): string {
  return `write it as UTF-8: iconv -f ${encoding} -t UTF-8`;
}

/** How JSON in other forms of Unicode begins: with its mark, or with a character of ASCII (RFC 4627, section 3). */
const wideEncodings: readonly {
  readonly name: string;
  readonly begins: readonly (readonly (number | null)[])[];
}[] = [
  {
    name: "UTF-32",
    begins: [
      [0xff, 0xfe, 0, 0],
      [0, 0, 0xfe, 0xff],
      [null, 0, 0, 0],
      [0, 0, 0, null],
    ],
  },
  {
    name: "UTF-16LE",
    begins: [
      [0xff, 0xfe],
      [null, 0],
    ],
  },
  {
    name: "UTF-16BE",
    begins: [
      [0xfe, 0xff],
      [0, null],
    ],
  },
];

/** @param mark - null stands for any byte but 0 */
function startsWith(bytes: Uint8Array, mark: readonly (number | null)[]): boolean {
  return mark.every((byte, index) =>
    byte === null ? (bytes[index] ?? 0) !== 0 : bytes[index] === byte,
  );
}
