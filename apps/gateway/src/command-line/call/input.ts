import type { OptionValues } from "commander";
import type { CallFlag } from "./flags.ts";
import { readValue } from "./value-form.ts";

/** What an endpoint is called with. */
export interface CallInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
}

/**
 * Puts the values of flags where the endpoint takes them; in a part that is given whole they
 * replace what stands there. Nothing is checked yet.
 * @param given - the body from `--body` and the query from `--query`; undefined where there is none
 */
export function readInput(
  flags: readonly CallFlag[],
  options: OptionValues,
  given: Partial<Pick<CallInput, "body" | "query">>,
): CallInput {
  const parts = new Map<CallFlag["place"], unknown>();
  if (given.body !== undefined) parts.set("body", given.body);
  if (given.query !== undefined) parts.set("query", given.query);
  for (const flag of flags) {
    // The option's own parser keeps the texts.
    const texts = options[flag.option.attributeName()] as readonly string[] | undefined;
    if (texts !== undefined)
      parts.set(flag.place, put(parts.get(flag.place), flag.keys, valueFor(flag, texts)));
  }
  return {
    params: parts.get("path"),
    query: parts.get("query"),
    headers: parts.get("header"),
    body: parts.get("body"),
  };
}

function valueFor(flag: CallFlag, texts: readonly string[]): unknown {
  const { form, nullable, repeatable } = flag;
  const values = texts.map((text) =>
    nullable && form !== "text" && text === "null" ? null : readValue(text, flag),
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
