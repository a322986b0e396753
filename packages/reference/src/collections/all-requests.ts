import type { OpenApiDocument } from "../document/open-api.ts";
import type { ScenarioOnPage } from "../site/source.ts";
import { type CollectionRequest, collectionRequests } from "./collection-request.ts";
import { unhappyRequests } from "./unhappy-requests.ts";

/**
 * Writes the requests of a collection: every example, then requests that fail on purpose.
 * @param scenarios - the scenarios of all simulated insurers
 */
export function allRequests(
  document: OpenApiDocument,
  scenarios: readonly ScenarioOnPage[],
): readonly CollectionRequest[] {
  const { id } = document.info["x-provider"];
  const own = scenarios.filter(({ provider }) => provider === id);
  // The gateway's own endpoints have no insurer that could reject a request or lose an answer.
  return [...collectionRequests(document), ...(id === "" ? [] : unhappyRequests(document, own))];
}
