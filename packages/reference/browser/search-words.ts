/** Takes a text apart into words: at humps, dashes and slashes, without accents and in lower case, Greek like Latin. */
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
