import { contact, security, securitySchemes, server } from "../document/imprint.ts";
import { tagOf, tagsByKind } from "../document/kinds-in-words.ts";
import type { ProviderOnPage } from "../site/source.ts";
import { deployedPath } from "./deployment.ts";

/**
 * Writes the index document: one OpenAPI document for the gateway itself and all providers. Each path refers to the
 * provider's own document, as OpenAPI 3.1 allows, so the index stays small even with many endpoints.
 */
export function indexDocument(
  described: readonly ProviderOnPage[],
  address: string,
  documentPath: (segment: string) => string,
): object {
  const providers = described.filter(({ id }) => id !== "");
  const paths = described.flatMap(({ document, id, segment }) =>
    Object.keys(document?.paths ?? {}).map((path) => {
      const served = deployedPath(path, id, segment);
      const pointer = served.replaceAll("~", "~0").replaceAll("/", "~1");
      return [served, { $ref: `${documentPath(segment)}#/paths/${encodeURI(pointer)}` }] as const;
    }),
  );
  return {
    openapi: "3.1.1",
    info: {
      title: "Insurance Gateway",
      version: "1.0.0",
      summary: "This gateway and every provider behind it",
      description:
        "The paths of the gateway itself and of every provider; each is described in a document of its own, which it refers to.",
      license: { name: "MIT", identifier: "MIT" },
      contact,
      "x-providers": providers.map(({ document, id, lines, name, segment }) => ({
        id,
        segment,
        name,
        lines,
        version: document?.info.version ?? null,
        document: document === null ? null : documentPath(segment),
        endpoints: Object.values(document?.paths ?? {}).reduce(
          (sum, item) => sum + Object.keys(item).length,
          0,
        ),
      })),
    },
    servers: [server(address)],
    // A referenced path has the security of the referring document.
    security,
    tags: [...Object.values(tagsByKind), tagOf("", "read")].toSorted((one, other) =>
      one.name < other.name ? -1 : 1,
    ),
    components: { securitySchemes },
    paths: Object.fromEntries(paths),
  };
}
