import { allCommonOptions } from "./common-options.ts";

/**
 * Puts the flags that calls have in common behind the endpoint, where they are read, when they stand before it; without
 * an endpoint they mean nothing. Everything else stays where it is.
 * @param words - what follows `insurance-gateway call`
 */
export function flagsBehindEndpoint(words: readonly string[]): readonly string[] {
  const takesValue = new Map(
    allCommonOptions().map(({ long, required }) => [long ?? "", required] as const),
  );
  const names: string[] = [];
  const flags: string[] = [];
  let index = 0;
  for (; index < words.length && names.length < 2; index++) {
    const word = words[index] ?? "";
    const [name = ""] = word.split("=", 1);
    const needsValue = takesValue.get(name);
    if (!word.startsWith("-")) names.push(word);
    else if (needsValue === undefined) break;
    else {
      flags.push(word);
      if (needsValue && word === name) flags.push(...words.slice(++index, index + 1));
    }
  }
  const rest = words.slice(index);
  return names.length === 2 ? [...names, ...flags, ...rest] : [...names, ...rest];
}
