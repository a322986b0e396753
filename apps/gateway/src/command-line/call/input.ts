import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { OptionValues } from "commander";
import type { CallFlag } from "./flags.ts";
import { readValue } from "./value-form.ts";

/** What an endpoint is called with. */
export interface CallInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Reads the body that `--body` gives.
 * @param source - a file, or `-` for standard input
 * @param refuse - says what is wrong, without what was read, and ends the command
 */
export async function readBody(source: string, refuse: (fault: string) => never): Promise<unknown> {
  let content: string;
  try {
    content = source === "-" ? await text(process.stdin) : readFileSync(source, "utf8");
  } catch {
    refuse("--body names a file that cannot be read");
  }
  try {
    return JSON.parse(content);
  } catch (error) {
    // The rest of the message repeats what was read.
    const [place = ""] = /\(line \d+ column \d+\)$/.exec(String(error)) ?? [];
    refuse(`--body must be JSON ${place}`.trim());
  }
}

/**
 * Puts the values of flags where the endpoint takes them; in a body that is given they replace what stands there.
 * Nothing is checked yet.
 * @param body - from `--body`; undefined when there is none
 */
export function readInput(
  flags: readonly CallFlag[],
  options: OptionValues,
  body: unknown,
): CallInput {
  const parts = new Map<CallFlag["place"], unknown>(body === undefined ? [] : [["body", body]]);
  for (const flag of flags) {
    // The option's own parser keeps the texts.
    const texts = options[flag.option.attributeName()] as readonly string[] | undefined;
    if (texts !== undefined)
      parts.set(flag.place, put(parts.get(flag.place), flag.keys, valueFor(flag, texts)));
  }
  return { params: parts.get("path"), query: parts.get("query"), body: parts.get("body") };
}

function valueFor({ form, nullable, repeatable }: CallFlag, texts: readonly string[]): unknown {
  const values = texts.map((text) =>
    nullable && form !== "text" && text === "null" ? null : readValue(text, form),
  );
  return repeatable ? values : values[0];
}

/** A copy of a part with a value at a place. What is no object stays as it is, so that its schema refuses it. */
function put(part: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...below] = keys;
  if (key === undefined) return value;
  if (part !== undefined && part !== null && (typeof part !== "object" || Array.isArray(part)))
    return part;
  const inner: unknown = part?.[key as keyof typeof part];
  return { ...part, [key]: put(inner, below, value) };
}
