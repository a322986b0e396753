import { problemCodes } from "@insurance-gateway/core/problems";
import { deployedPath } from "../deployment/deployment.ts";
import type { JsonSchema, OpenApiDocument, Operation } from "../document/open-api.ts";
import { operationsOf } from "../document/provider-document.ts";
import { codesByStatus } from "../errors/code-uses.ts";
import { explanations } from "../errors/explanations.ts";
import type { Guide } from "../site/guides/guides.ts";
import type { SitePaths } from "../site/paths.ts";
import { scenarioAnchor } from "../site/sandbox-page.ts";
import type { ProviderOnPage, ScenarioOnPage } from "../site/source.ts";
import { kindWords, lineWords, pageWords, termWords } from "./other-words.ts";
import { wordsOf } from "./search-words.ts";

/** The kinds of pages that the search finds. */
export type SearchKind = "Endpoint" | "Provider" | "Problem code" | "Scenario" | "Guide" | "Page";

/** A page in the search index. */
export interface SearchEntry {
  readonly kind: SearchKind;
  readonly href: string;
  readonly name: string;
  /** A description in one line. */
  readonly note: string;
  /** The texts that mean exactly this page, such as a path or a status. */
  readonly exact: readonly string[];
  /** The fields of an endpoint, each with its Greek label. */
  readonly fields?: readonly string[];
  /** Further search words. */
  readonly words: string;
}

/** Returns every page that the search can find. */
export function searchEntries(
  paths: SitePaths,
  providers: readonly ProviderOnPage[],
  scenarios: readonly ScenarioOnPage[],
  guides: readonly Guide[],
): readonly SearchEntry[] {
  return [
    ...providers.flatMap((provider) => providerEntries(paths, provider)),
    ...codesByStatus.map((code): SearchEntry => {
      const { status, title } = problemCodes[code];
      const { meaning } = explanations[code];
      return {
        kind: "Problem code",
        href: paths.error(code),
        name: code,
        note: `${status}: ${title}`,
        exact: [String(status)],
        words: meaning,
      };
    }),
    ...scenarios.map(
      ({ effect, endpoint, name, provider }): SearchEntry => ({
        kind: "Scenario",
        href: `${paths.sandbox}#${scenarioAnchor(provider, name)}`,
        name,
        note: `${effect} · ${endpoint}`,
        exact: [],
        words: "sandbox test value",
      }),
    ),
    ...guides.map(
      ({ headings, idea, name, title }): SearchEntry => ({
        kind: "Guide",
        href: paths.guide(name),
        name: title,
        note: idea.en,
        exact: [name],
        words: `${idea.el} ${headings.map(({ text }) => text).join(" ")}`,
      }),
    ),
    ...pageWords(paths).map(
      ([href, name, note, words]): SearchEntry => ({
        kind: "Page",
        href,
        name,
        note,
        exact: [],
        words,
      }),
    ),
  ];
}

function providerEntries(
  paths: SitePaths,
  { document, id, lines, name, segment }: ProviderOnPage,
): readonly SearchEntry[] {
  const ofLines = lines.map((line) => `${line} ${lineWords[line] ?? ""}`).join(" ");
  const own: SearchEntry = {
    kind: "Provider",
    href: paths.provider(segment),
    name,
    note: lines.join(", "),
    exact: segment === "" ? [] : [segment],
    words: ofLines,
  };
  if (document === null) return [own];
  const endpoints = operationsOf(document).map(({ method, operation, path }): SearchEntry => {
    const served = segment === "" ? path : deployedPath(path, id, segment);
    const fields = fieldsOf(operation, document);
    return {
      kind: "Endpoint",
      href: paths.endpoint(segment, operation.operationId),
      name: operation.operationId,
      note: `${operation.summary} · ${name}`,
      exact: [served, `${method} ${served}`],
      fields,
      // People also type a name as one word.
      words: [
        operation.operationId.toLowerCase(),
        kindWords[operation["x-kind"]],
        ofLines,
        ...otherWordsOf(fields),
      ].join(" "),
    };
  });
  return [own, ...endpoints];
}

function otherWordsOf(fields: readonly string[]): readonly string[] {
  const used = new Set(fields.flatMap(wordsOf));
  return Object.entries(termWords).flatMap(([term, words]) => (used.has(term) ? [words] : []));
}

/** Returns the names of all fields with their Greek labels: of parameters, the body and the answers. */
function fieldsOf(operation: Operation, document: OpenApiDocument): readonly string[] {
  const found = new Map<string, string>();
  const add = (name: string, labelled: Pick<JsonSchema, "x-labels">): void => {
    const label = labelled["x-labels"]?.el;
    if (label !== undefined || !found.has(name)) found.set(name, label ?? "");
  };
  const seen = new Set<string>();
  const visit = (schema: JsonSchema): void => {
    const { $ref = "", anyOf = [], items, properties = {} } = schema;
    if ($ref !== "") {
      if (seen.has($ref)) return;
      seen.add($ref);
      visit(document.components.schemas[$ref.replace("#/components/schemas/", "")] ?? {});
    }
    for (const alternative of anyOf) visit(alternative);
    if (items !== undefined) visit(items);
    for (const [name, property] of Object.entries(properties)) {
      add(name, property);
      visit(property);
    }
  };
  for (const parameter of operation.parameters ?? []) add(parameter.name, parameter);
  const answers = Object.values(operation.responses).flatMap((answer) =>
    "$ref" in answer ? [] : [answer.content ?? {}],
  );
  for (const content of [operation.requestBody?.content ?? {}, ...answers])
    for (const { schema } of Object.values(content)) visit(schema);
  return [...found].map(([name, label]) => (label === "" ? name : `${name}: ${label}`));
}
