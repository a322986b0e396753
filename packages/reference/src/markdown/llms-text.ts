import { deployedPath } from "../deployment/deployment.ts";
import { operationsOf } from "../document/provider-document.ts";
import { guideLinks } from "../site/guides/guides.ts";
import type { SitePaths } from "../site/paths.ts";
import type { ProviderOnPage, SiteSource } from "../site/source.ts";

/**
 * Writes `llms.txt` (llmstxt.org): what the service is, and a link for each endpoint.
 * @param described - the gateway itself and the providers
 */
export function llmsText(
  paths: SitePaths,
  { address, basePath }: Pick<SiteSource, "address" | "basePath">,
  described: readonly ProviderOnPage[],
): string {
  const origin = address.slice(0, address.length - basePath.length);
  const sections = described.flatMap(({ document, id, name, segment }) =>
    document === null
      ? []
      : [
          `## ${name}`,
          operationsOf(document)
            .map(({ method, operation, path }) => {
              const href = `${origin}${paths.endpoint(segment, operation.operationId)}.md`;
              return `- [${operation.operationId}](${href}): ${method} ${deployedPath(path, id, segment)}. ${operation.summary}.`;
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
      "- Submissions create something at the insurer. Send an `Idempotency-Key` (the number of the case, or a UUID made once); after an unknown outcome send the same body with the same key, never with a new one.",
      "- Requests take exactly the fields that are listed; answers may have more.",
      `- Each provider has an OpenAPI 3.1 document; the index of them is ${origin}${paths.file("openapi.json")}.`,
    ].join("\n"),
    ...sections,
    ...guideLinks(origin, paths),
  ].join("\n\n")}\n`;
}
