import { type Advice, type ProblemCode, problemCodes } from "@insurance-gateway/core/problems";
import type { OpenApiDocument, Operation } from "../document/open-api.ts";
import type { ScenarioOnPage } from "../site/source.ts";

/** A possible problem of an endpoint. */
export interface EndpointProblem {
  readonly code: ProblemCode;
  readonly status: number;
  /** The code in words. */
  readonly title: string;
  /** The meanings, the usual one first. */
  readonly meanings: readonly ProblemMeaning[];
}

/** A meaning of a problem at an endpoint. */
export interface ProblemMeaning extends Advice {
  /** The condition in Markdown; null for the usual meaning. */
  readonly when: string | null;
  /** The name of the sandbox scenario that produces this problem; null without such a scenario. */
  readonly scenario: string | null;
}

/**
 * Lists the possible problems of an endpoint, by status.
 * @param operation - an operation of `document`, which the gateway serves
 * @param scenarios - the scenarios of the endpoint's provider
 */
export function problemsOfEndpoint(
  { operationId, responses }: Operation,
  { components }: OpenApiDocument,
  scenarios: readonly ScenarioOnPage[] = [],
): readonly EndpointProblem[] {
  const own = scenarios.filter(({ endpoint }) => endpoint === operationId);
  return Object.values(responses).flatMap((response) => {
    const name = "$ref" in response ? response.$ref.replace("#/components/responses/", "") : "";
    const outcomes = Object.entries(components.responses[name]?.["x-outcome"] ?? {});
    return outcomes.flatMap(([code, meanings]) =>
      isCode(code)
        ? [
            {
              code,
              status: problemCodes[code].status,
              title: problemCodes[code].title,
              meanings: meanings.map(({ outcome, retry, when = null }) => ({
                outcome,
                retry,
                when,
                scenario: scenarioOf(own, { code, outcome, retry }),
              })),
            },
          ]
        : [],
    );
  });
}

/** Converts the condition under which a problem has a meaning to a sentence. */
export function conditionInWords(when: string): string {
  return `${when.slice(0, 1).toUpperCase()}${when.slice(1)}.`;
}

function isCode(code: string): code is ProblemCode {
  return Object.hasOwn(problemCodes, code);
}

function scenarioOf(
  scenarios: readonly ScenarioOnPage[],
  meaning: Advice & { readonly code: ProblemCode },
): string | null {
  const found = scenarios.find(
    ({ problem }) =>
      problem?.code === meaning.code &&
      problem.outcome === meaning.outcome &&
      problem.retry === meaning.retry,
  );
  return found?.name ?? null;
}
