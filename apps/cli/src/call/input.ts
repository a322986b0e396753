import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import type { FilePart } from "@insurance-gateway/core/contract";
import { bodyFormatOf } from "@insurance-gateway/core/runtime";
import { parseJson, Refusal } from "@insurance-gateway/gateway/folder";
import type { OptionValues } from "commander";
import { parseFlagText } from "./flag-value.ts";
import type { CallFlag } from "./flags.ts";

/** The input of a call. */
export interface CallInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
}

/**
 * Puts the values of flags into the parts of a request, without validating them. A flag replaces the same value in the
 * body of `--body` or the query of `--query`.
 * @param given - the body of `--body` and the query of `--query`; undefined without these flags
 */
export function applyFlags(
  flags: readonly CallFlag[],
  options: OptionValues,
  given: Partial<Pick<CallInput, "body" | "query">>,
): CallInput {
  const parts = new Map<CallFlag["place"], unknown>([
    ["body", given.body],
    ["query", given.query],
  ]);
  for (const flag of flags) {
    // The option's parser has collected the texts of the flag, which may be repeated, in a list.
    const texts = options[flag.option.attributeName()] as readonly string[] | undefined;
    if (texts !== undefined)
      parts.set(
        flag.place,
        withValue(parts.get(flag.place), flag.keys, parseFlagTexts(flag, texts)),
      );
  }
  return {
    params: parts.get("path"),
    query: parts.get("query"),
    headers: parts.get("header"),
    body: parts.get("body"),
  };
}

function parseFlagTexts(flag: CallFlag, texts: readonly string[]): unknown {
  const { form, nullable, repeatable } = flag;
  const values = texts.map((text) =>
    nullable && form !== "text" && text === "null" ? null : parseFlagText(text, flag),
  );
  return repeatable ? values : values[0];
}

/**
 * Copies a part of a request with one changed value. A part that is not an object stays unchanged, so that the schema
 * refuses this part.
 */
function withValue(part: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...below] = keys;
  if (key === undefined) return value;
  if (part !== undefined && part !== null && (typeof part !== "object" || Array.isArray(part)))
    return part;
  const inner: unknown = part?.[key as keyof typeof part];
  return { ...part, [key]: withValue(inner, below, value) };
}

/** A flag whose value is a file with JSON. */
export interface JsonFileFlag {
  /** The name of the flag with its dashes: `--body`. */
  readonly flag: string;
  /** The path of a file, or `-` for standard input. */
  readonly file: string;
  /** Maximum nesting depth of the JSON. */
  readonly depth: number;
}

/**
 * Reads the JSON file of a flag by the gateway's rules for request bodies. Removes the UTF-8 byte order mark that some
 * editors write.
 * @param refuse - prints the fault without the content of the file, and ends the command
 */
export async function readJsonFile(
  { depth, file, flag }: JsonFileFlag,
  refuse: (fault: string) => never,
): Promise<unknown> {
  const bytes = await readBytes(file, () => refuse(`${flag} names a file that cannot be read`));
  const encoding = encodingFault(bytes);
  if (encoding !== null) refuse(`${flag} ${encoding}`);
  const content = bytes.subarray(startsWithMark(bytes, [0xef, 0xbb, 0xbf]) ? 3 : 0);
  try {
    JSON.parse(new TextDecoder().decode(content));
  } catch (error) {
    // Only the place of the fault is printed, because the rest of the parser's message quotes the file.
    const [place = ""] = /\(line \d+ column \d+\)$/.exec(String(error)) ?? [];
    refuse(`${flag} must be JSON ${place}`.trim());
  }
  try {
    return parseJson(content, depth);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refuse(`${flag} must be JSON that the gateway accepts. ${error.message}`);
  }
}

/**
 * Reads a body that is sent unchanged: a text, or the bytes of a file. The client reads the bytes while it sends them.
 * @param file - the path of a file, or `-` for standard input
 */
export async function readUnchangedBody(
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

/** Returns the fault of a text's encoding with its remedy; null for UTF-8. */
function encodingFault(bytes: Uint8Array): string | null {
  const wide = wideEncodings.find(({ begins }) =>
    begins.some((mark) => startsWithMark(bytes, mark)),
  );
  if (wide !== undefined) return `is ${wide.name}; ${encodingAdvice(wide.name)}`;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return null;
  } catch {
    return `is not UTF-8, but perhaps ISO-8859-7 or Windows-1253; ${encodingAdvice("ISO-8859-7")}`;
  }
}

function encodingAdvice(encoding: string): string {
  return `write it as UTF-8: iconv -f ${encoding} -t UTF-8`;
}

/** The first bytes of JSON in other Unicode encodings: a byte order mark or an ASCII character (RFC 4627, 3). */
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

/** Reports whether bytes begin with a mark of an encoding. A null in the mark stands for any byte except 0. */
function startsWithMark(bytes: Uint8Array, mark: readonly (number | null)[]): boolean {
  return mark.every((byte, index) =>
    byte === null ? (bytes[index] ?? 0) !== 0 : bytes[index] === byte,
  );
}
