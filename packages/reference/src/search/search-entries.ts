import { deployedPath } from "../deployment/deployment.ts";
import { operationsOf } from "../document/provider-document.ts";
import type { ProviderOnPage } from "../site/source.ts";

/** One endpoint as the search of the front page knows it; short names, because there are many. */
export interface SearchEntry {
  /** The provider's segment. */
  readonly segment: string;
  readonly provider: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly kind: string;
  readonly summary: string;
}

/** Every endpoint of every provider. */
export function searchEntries(providers: readonly ProviderOnPage[]): readonly SearchEntry[] {
  return providers.flatMap(({ document, id, name, segment }) =>
    document === null
      ? []
      : operationsOf(document).map(({ method, operation, path }) => {
          const served = deployedPath(path, id, segment);
          return {
            segment,
            provider: name,
            name: operation.operationId,
            method,
            path: served,
            kind: operation["x-kind"],
            summary: operation.summary,
          };
        }),
  );
}
