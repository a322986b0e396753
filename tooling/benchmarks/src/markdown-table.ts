/** Formats rows as a Markdown table. */
export function markdownTable(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(names),
    line(names.map(() => "---")),
    ...rows.map((row) => line(names.map((name) => row[name] ?? ""))),
  ].join("\n");
}
