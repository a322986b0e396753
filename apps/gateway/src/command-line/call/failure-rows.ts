import { safeText } from "../output/safe-text.ts";

/** A name with what there is to say of it, a line each; nothing is shown of one that has none. */
export type FailureRow = readonly [name: string, lines: readonly string[]];

/** Lays out what is told of a failure to a person. */
export function failureRows(title: string, rows: readonly FailureRow[]): string {
  const lines = rows.flatMap(([name, texts]) =>
    texts
      .filter(Boolean)
      .map((text, index) => `  ${(index === 0 ? name : "").padEnd(15)}${safeText(text)}`),
  );
  return [`error: ${safeText(title)}`, ...lines].join("\n");
}
