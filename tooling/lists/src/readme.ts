import { summaryOf } from "@insurance-gateway/reference";
import type { DeclaredEndpoint } from "./declarations.ts";

const begin = "<!-- the endpoints, written from the declarations -->";
const end = "<!-- end of the endpoints -->";

const none = `This package declares no endpoint yet. A package without endpoints is private: the gateway does not serve it, and no release publishes it.
[Adding a provider](../../docs/adding-a-provider.md) explains the next steps.`;

/** Writes the table of endpoints between the two marks of a README, or at the end of a README without marks. */
export function endpointTable(readme: string, endpoints: readonly DeclaredEndpoint[]): string {
  const content = endpoints.length === 0 ? none : tableOf(endpoints).join("\n");
  const section = `${begin}\n\n${content}\n\n${end}`;
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)];
  if (from === -1 || to < from) return `${readme.trimEnd()}\n\n## Endpoints\n\n${section}\n`;
  return readme.slice(0, from) + section + readme.slice(to + end.length);
}

function tableOf(endpoints: readonly DeclaredEndpoint[]): readonly string[] {
  const rows = [
    ["Name", "Call", "Kind", "Request", "Answer", "Summary"],
    ...endpoints.map(({ answer, comment, kind, method, name, path, provider, request }) => [
      `\`${name}\``,
      `\`${method} /${provider}${path}\``,
      kind,
      codes(request),
      kind === "document" ? "a file" : codes(answer) + (kind === "search" ? ", one by one" : ""),
      summaryOf(comment).replaceAll("|", "\\|"),
    ]),
  ];
  const widths = [0, 1, 2, 3, 4, 5].map((column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const [header, ...body] = rows.map((row) => line(row, widths));
  const rule = line(
    widths.map((width) => "-".repeat(width)),
    widths,
  );
  return [header ?? "", rule, ...body];
}

function codes(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => `\`${name}\``).join(", ");
}

function line(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return `| ${padded.join(" | ")} |`;
}
