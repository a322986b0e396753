/** Splits a text at capital letters, dashes and slashes into words in lower case, without Greek and Latin accents. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ς", "σ")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Greek letters as people type them on a Latin keyboard. Pairs of letters come first. */
const latin: readonly (readonly [RegExp, string])[] = Object.entries({
  ου: "ou",
  αι: "ai",
  ει: "ei",
  οι: "oi",
  μπ: "b",
  ντ: "d",
  α: "a",
  β: "v",
  γ: "g",
  δ: "d",
  ε: "e",
  ζ: "z",
  η: "i",
  θ: "th",
  ι: "i",
  κ: "k",
  λ: "l",
  μ: "m",
  ν: "n",
  ξ: "x",
  ο: "o",
  π: "p",
  ρ: "r",
  σ: "s",
  τ: "t",
  υ: "y",
  φ: "f",
  χ: "x",
  ψ: "ps",
  ω: "o",
}).map(([greek, text]) => [new RegExp(greek, "g"), text]);

/** Returns the forms in which the search index contains a word. A Greek word is also indexed in Latin letters. */
export function indexedForms(word: string): readonly string[] {
  if (!/[α-ω]/.test(word)) return [word];
  return [word, latin.reduce((text, [greek, letters]) => text.replaceAll(greek, letters), word)];
}
