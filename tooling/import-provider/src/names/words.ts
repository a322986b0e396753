import anyAscii from "any-ascii";

/** Longer names are cut: nobody reads them. */
const LONGEST = 80;

/** The words of a text, in ASCII: `list-policies_v2` → `list`, `policies`, `v2`; Greek and other scripts are transliterated. */
export function wordsIn(text: string): readonly string[] {
  return anyAscii(text.slice(0, 1_000))
    .replaceAll(/['’`]/g, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
}

/** `list policies` → `ListPolicies`; a name begins with a letter. */
export function pascalCase(text: string): string {
  const name = cut(wordsIn(text)).map(capitalised).join("");
  return /^[A-Z]/.test(name) ? name : `Value${name}`;
}

/** `list policies` → `listPolicies`; a name begins with a letter. */
export function camelCase(text: string): string {
  const [first = "", ...rest] = cut(wordsIn(text));
  const name = [first.toLowerCase(), ...rest.map(capitalised)].join("");
  return /^[a-z]/.test(name) ? name : `value${capitalised(name)}`;
}

/** `listPolicies` → `list-policies`: the name of a file. */
export function kebabCase(text: string): string {
  const name = wordsIn(text)
    .map((word) => word.toLowerCase())
    .join("-");
  return name === "" ? "value" : name;
}

/** `POLICY` → `Policy`, `policyId` → `PolicyId`. */
function capitalised(word: string): string {
  const rest = /^[A-Z0-9]+$/.test(word) ? word.slice(1).toLowerCase() : word.slice(1);
  return word.slice(0, 1).toUpperCase() + rest;
}

function cut(words: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let length = 0;
  for (const word of words) {
    length += word.length;
    if (length > LONGEST) break;
    kept.push(word);
  }
  return kept.length > 0 ? kept : words.slice(0, 1).map((word) => word.slice(0, LONGEST));
}
