import anyAscii from "any-ascii";

/** Maximum length of a generated name. */
const MAX_NAME_LENGTH = 80;

/**
 * Splits a text into ASCII words: `list-policies_v2` → `list`, `policies`, `v2`; Greek and other scripts are
 * transliterated.
 */
export function wordsIn(text: string): readonly string[] {
  return anyAscii(text.slice(0, 1_000))
    .replaceAll(/['’`]/g, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
}

/** Converts `list policies` to `ListPolicies`; the name begins with a letter. */
export function pascalCase(text: string): string {
  const name = cut(wordsIn(text)).map(capitalised).join("");
  return /^[A-Z]/.test(name) ? name : `Value${name}`;
}

/** Converts `list policies` to `listPolicies`; the name begins with a letter. */
export function camelCase(text: string): string {
  const [first = "", ...rest] = cut(wordsIn(text));
  const name = [first.toLowerCase(), ...rest.map(capitalised)].join("");
  return /^[a-z]/.test(name) ? name : `value${capitalised(name)}`;
}

/** Converts `listPolicies` to the file name `list-policies`. */
export function kebabCase(text: string): string {
  const name = wordsIn(text)
    .map((word) => word.toLowerCase())
    .join("-");
  return name === "" ? "value" : name;
}

/** Capitalises a word: `POLICY` → `Policy`, `policyId` → `PolicyId`. */
function capitalised(word: string): string {
  const rest = /^[A-Z0-9]+$/.test(word) ? word.slice(1).toLowerCase() : word.slice(1);
  return word.slice(0, 1).toUpperCase() + rest;
}

function cut(words: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let length = 0;
  for (const word of words) {
    length += word.length;
    if (length > MAX_NAME_LENGTH) break;
    kept.push(word);
  }
  return kept.length > 0 ? kept : words.slice(0, 1).map((word) => word.slice(0, MAX_NAME_LENGTH));
}
