/** Returns the singular of an English plural by the ending of the word: `policies` → `policy`. */
export function singular(words: string): string {
  if (/(ss|us|is|news|series)$/i.test(words)) return `${words} item`;
  if (/ies$/i.test(words)) return `${words.slice(0, -3)}y`;
  if (/(x|ch|sh|ss|z)es$/i.test(words)) return words.slice(0, -2);
  return /[a-z]s$/.test(words) ? words.slice(0, -1) : `${words} item`;
}
