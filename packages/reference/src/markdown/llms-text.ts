import { problemCodes } from "@insurance-gateway/core/problems";
import { deployedPath } from "../deployment/deployment.ts";
import { operationsOf } from "../document/provider-document.ts";
import type { Guide } from "../site/guides/guides.ts";
import type { SitePaths } from "../site/paths.ts";
import type { ProviderOnPage, SiteSource } from "../site/source.ts";

/** The parts of the site to which `llms.txt` links. */
export interface LinkedSite extends Pick<SiteSource, "address" | "basePath"> {
  readonly paths: SitePaths;
  /** The gateway itself and the providers. */
  readonly described: readonly ProviderOnPage[];
  readonly guides: readonly Guide[];
  /** Reports whether the site has this path. */
  readonly isServed: (path: string) => boolean;
}

/** Writes `llms.txt` (llmstxt.org): a summary of the service, and a link for each endpoint, guide and problem. */
export function llmsText({
  address,
  basePath,
  described,
  guides,
  isServed,
  paths,
}: LinkedSite): string {
  const origin = address.slice(0, address.length - basePath.length);
  const link = (name: string, path: string, text: string): string =>
    `- [${name}](${origin}${isServed(`${path}.md`) ? `${path}.md` : path}): ${text}`;
  const endpoints = described.flatMap(({ document, id, name, segment }) =>
    document === null
      ? []
      : [
          `## ${name}`,
          operationsOf(document)
            .map(({ method, operation, path }) => {
              const { operationId, summary } = operation;
              const text = `${method} ${deployedPath(path, id, segment)}. ${summary}.`;
              return link(operationId, paths.endpoint(segment, operationId), text);
            })
            .join("\n"),
        ],
  );
  return `${[
    "# Insurance Gateway",
    "> One HTTP gateway in front of many insurers of the Greek market: lookups, quotes, applications, searches and documents under one base address and one bearer token.",
    [
      `- Base address: ${address}. Every call needs \`Authorization: Bearer\`.`,
      "- Every error is a problem (RFC 9457): `code`, `outcome` (not_sent, rejected, unknown, executed: whether the insurer acted) and `retry` (safe, same_key, after_check, never).",
      "- Submissions create something at the insurer. Send an `Idempotency-Key` (the number of the case, or a UUID made once); after an unknown outcome send the same body with the same key, never with a new one. `Location` and `reconciliation.href` are the path of the submission's state (`readSubmission`).",
      "- Requests take exactly the fields that are listed; answers may have more.",
      `- The gateway and each provider have an OpenAPI 3.1 document; the index of them is ${origin}${paths.file("openapi.json")}.`,
    ].join("\n"),
    ...endpoints,
    "## Guides",
    [
      ...guides.map(({ idea, name, title }) => link(title, paths.guide(name), idea.en)),
      link("Outcomes", paths.outcomes, "What happened to a call, and what to do next."),
      ...(paths.hasSandbox
        ? [
            link(
              "Sandbox",
              paths.sandbox,
              "Test values that make simulated insurers refuse or fail.",
            ),
          ]
        : []),
    ].join("\n"),
    "## Problems",
    Object.entries(problemCodes)
      .map(([code, { status, title }]) => link(code, paths.error(code), `${status}. ${title}.`))
      .join("\n"),
  ].join("\n\n")}\n`;
}
