import type { EndpointKind } from "@insurance-gateway/core/runtime";
import { kindsInOrder } from "../document/kinds-in-words.ts";
import type { Catalogue, CatalogueEndpoint, CatalogueProvider, FieldUse } from "./catalogue.ts";

/** Writes the catalogue as a Markdown page. */
export function catalogueText({ providers, sharedFields }: Catalogue): string {
  const declared = providers.filter(({ endpoints }) => endpoints.length > 0);
  const waiting = providers.filter(({ endpoints }) => endpoints.length === 0);
  return `${[
    "# Catalogue",
    "What each provider declares, and when it was verified at the insurer. `npm run openapi` writes this page from the declarations. A running gateway lists its own endpoints at `/reference/catalogue.json`.",
    table(
      ["provider", "lines of insurance", "version", ...kindsInOrder],
      declared.map(({ endpoints, lines, segment, version }) => [
        `[${segment}](#${segment})`,
        lines.join(", "),
        version ?? "",
        ...kindsInOrder.map((kind) => String(countOf(endpoints, kind) || "–")),
      ]),
    ),
    ...(waiting.length === 0
      ? []
      : [`No endpoint is declared yet for ${waiting.map(({ segment }) => segment).join(", ")}.`]),
    ...declared.flatMap(section),
    "## Shared fields",
    "The fields that at least two providers have. **R**: a request must have it; **r**: a request may have it; **a**: an answer may have it. `[]` stands for the items of a list.",
    table(
      ["field", "type", ...declared.map(({ segment }) => segment)],
      sharedFields.map(({ name, types, uses }) => [
        `\`${name}\``,
        types.join(" / "),
        ...declared.map(({ segment }) => useMark(uses.find((use) => use.segment === segment))),
      ]),
    ),
  ].join("\n\n")}\n`;
}

/** Returns the number of endpoints of a kind. */
export function countOf(endpoints: readonly CatalogueEndpoint[], kind: EndpointKind): number {
  return endpoints.filter((endpoint) => endpoint.kind === kind).length;
}

/**
 * Returns the letters `R`, `r` and `a`, which the catalogue's page explains; a dash for a provider without the field.
 */
export function useMark(use: FieldUse | undefined): string {
  if (use === undefined) return "–";
  const { inAnswers, request } = use;
  const inRequest = request === "required" ? "R" : request === "optional" ? "r" : "";
  return [inRequest, inAnswers ? "a" : ""].filter((mark) => mark !== "").join(" ");
}

/** Returns the verification of an endpoint: `2026-11-23, test environment`, or `never`. */
export function verifiedText({ verified }: Pick<CatalogueEndpoint, "verified">): string {
  return verified === null ? "never" : `${verified.date}, ${verified.environment} environment`;
}

function section({ endpoints, name, segment }: CatalogueProvider): readonly string[] {
  return [
    `## ${segment}`,
    `${name}.`,
    table(
      ["endpoint", "request", "kind", "does", "verified at the insurer"],
      endpoints.map((endpoint) => [
        `\`${endpoint.name}\``,
        `\`${endpoint.method} ${endpoint.path}\``,
        endpoint.kind,
        endpoint.summary,
        verifiedText(endpoint),
      ]),
    ),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
