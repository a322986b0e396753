import type { Endpoint } from "@insurance-gateway/core/contract";
import type { EndpointReference } from "@insurance-gateway/gateway/reference";
import { InvalidArgumentError, Option } from "commander";
import { shellWord } from "../output/safe-text.ts";
import { type FlagValue, flagValueOf } from "./flag-value.ts";
import { type InputField, inputFieldsOf } from "./input-fields.ts";

/** The flag for one value of an endpoint. */
export interface CallFlag extends Omit<InputField, "schema">, Omit<FlagValue, "description"> {
  /** The flag's name with its dashes: `--policy-start-date`. */
  readonly name: string;
  readonly option: Option;
  /** An example of the flag with a value: `--policy-start-date 2026-12-01`. */
  readonly example: string;
}

/**
 * Creates the flags of an endpoint from its schemas.
 * @param reference - describes each value
 * @param taken - the common options. If an input value has the name of a common option, the value's flag has a prefix:
 * `--body-timeout`.
 */
export function flagsOf(
  endpoint: Endpoint,
  reference: EndpointReference,
  taken: readonly Option[],
): readonly CallFlag[] {
  const attributes = new Set(["help", ...taken.map((option) => option.attributeName())]);
  return inputFieldsOf(endpoint)
    .filter(({ keys }) => keys.length > 0)
    .map(({ schema, ...field }) => {
      const { description, ...value } = flagValueOf(schema);
      const name = unusedFlagName(field, attributes);
      attributes.add(optionAttributeOf(name));
      const form = `${description}${field.required ? "; required" : ""}`;
      const meaning = reference.describe(field);
      const words = meaning === null ? form : `${meaning.replace(/\.$/, "")} (${form})`;
      const option = new Option(`${name} <${value.placeholder}>`, words)
        .argParser((text: string, earlier: readonly string[] | undefined) => {
          if (earlier === undefined) return [text];
          if (value.repeatable) return [...earlier, text];
          throw new InvalidArgumentError("It must be given only once.");
        })
        .helpGroup(flagGroupHeadings[field.place]);
      const example = exampleText(reference.exampleOf(field)) ?? `<${value.placeholder}>`;
      return { ...field, ...value, name, option, example: `${name} ${example}` };
    });
}

const flagGroupHeadings: Readonly<Record<InputField["place"], string>> = {
  path: "Path parameters:",
  query: "Query parameters:",
  header: "Headers:",
  body: "Body:",
};

/** Formats a value for an example of the value's flag. Formats only the first item of a list. */
function exampleText(value: unknown): string | null {
  if (Array.isArray(value)) return exampleText(value[0]);
  if (value === undefined || value === null) return null;
  return shellWord(typeof value === "string" ? value : JSON.stringify(value));
}

function unusedFlagName(
  { keys, place }: Pick<InputField, "keys" | "place">,
  taken: ReadonlySet<string>,
): string {
  const plain = keys.map(kebabCase).filter(Boolean).join("-") || "value";
  // The library commander reads `--no-x` as the opposite of `--x`.
  const isFree = (name: string): boolean =>
    !name.startsWith("--no-") && !taken.has(optionAttributeOf(name));
  for (let count = 0; ; count++) {
    const name = [...(count > 0 ? [place] : []), plain, ...(count > 1 ? [count] : [])].join("-");
    if (isFree(`--${name}`)) return `--${name}`;
  }
}

function optionAttributeOf(name: string): string {
  return new Option(name).attributeName();
}

/** Converts `startDate` to `start-date`. Characters other than letters and digits become dashes. */
function kebabCase(key: string): string {
  return key
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1-$2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1-$2")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "")
    .toLowerCase();
}
