import { valueAt } from "@insurance-gateway/core/contract";
import { deployedDocument } from "../../deployment/deployment.ts";
import type { OpenApiDocument, Operation } from "../../document/open-api.ts";
import { operationsOf, type Placed } from "../../document/provider-document.ts";
import { sampleRequest } from "../../snippets/sample-request.ts";
import type { ProviderOnPage, ScenarioOnPage, SiteSource } from "../source.ts";

/**
 * The data of the demonstration of a lost answer: a submission whose answer is lost, and the search that finds the
 * created application.
 */
export interface LostAnswerStory {
  readonly provider: ProviderOnPage;
  readonly document: OpenApiDocument;
  readonly scenario: ScenarioOnPage;
  readonly submission: Placed<Operation>;
  /** An example body of the submission, as JSON. */
  readonly body: string;
  readonly search: Placed<Operation>;
  /** The path of the search with its parameters, for the example body. */
  readonly searchPath: string;
  /**
   * The customer's tax number in body and search. Each run replaces the number, so the search finds only the
   * application of this run.
   */
  readonly customer: string;
}

/**
 * The scenario in which the insurer answers without delay with an unreadable page. In the other scenarios with a lost
 * answer, the gateway waits for its timeout.
 */
const QUICK = "UNREADABLE_ANSWER";

/** Finds a submission whose answer a simulated insurer can lose; null if there is none. */
export function findStory({ address, providers, scenarios }: SiteSource): LostAnswerStory | null {
  const found = scenarios
    .filter(({ problem }) => problem?.code === "OUTCOME_UNKNOWN" && problem.retry === "same_key")
    .toSorted((one, other) => Number(other.name === QUICK) - Number(one.name === QUICK))
    .map((scenario) => storyOf(scenario, providers, address));
  return found.find((story) => story !== null) ?? null;
}

function storyOf(
  scenario: ScenarioOnPage,
  providers: readonly ProviderOnPage[],
  address: string,
): LostAnswerStory | null {
  const provider = providers.find(({ id }) => id === scenario.provider);
  if (provider?.document == null) return null;
  const document = deployedDocument(provider.document, { segment: provider.segment, address });
  const named = (name: string | undefined): Placed<Operation> | undefined =>
    operationsOf(document).find(({ operation }) => operation.operationId === name);
  const submission = named(scenario.endpoint);
  const reconciliation = submission?.operation["x-reconciliation"];
  const search = named(reconciliation?.endpoint);
  if (submission === undefined || reconciliation === undefined || search?.method !== "GET")
    return null;
  const { body } = sampleRequest(submission, { address });
  const values = Object.entries(reconciliation.parameters).map(
    ([name, { from }]) => [name, String(valueAt(body, from))] as const,
  );
  const [, customer] = values.find(([, value]) => /^\d{9}$/.test(value)) ?? [];
  if (customer === undefined || search.path.includes("{")) return null;
  const query = new URLSearchParams(Object.fromEntries(values)).toString();
  return {
    provider,
    document,
    scenario,
    submission,
    body: JSON.stringify(body),
    search,
    searchPath: `${search.path}?${query}`,
    customer,
  };
}
