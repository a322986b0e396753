import { type ProblemCode, problemCodes } from "@insurance-gateway/core/problems";
import { operationsOf } from "../document/provider-document.ts";
import type { ProviderOnPage, ScenarioOnPage } from "../site/source.ts";
import { problemsOfEndpoint } from "./endpoint-problems.ts";

/** All problem codes, ordered by status. */
export const codesByStatus: readonly ProblemCode[] = Object.keys(problemCodes)
  .filter((code): code is ProblemCode => code in problemCodes)
  .toSorted((one, other) => problemCodes[one].status - problemCodes[other].status);

/** The endpoints of one provider that can return a problem code. */
export interface ProviderUses {
  readonly name: string;
  readonly segment: string;
  readonly operationIds: readonly string[];
}

/** The endpoints and the sandbox scenarios that can return a problem code. */
export interface CodeUses {
  readonly providers: readonly ProviderUses[];
  /** The sandbox scenarios that produce the code. */
  readonly scenarios: readonly ScenarioOnPage[];
}

/**
 * Finds the endpoints and scenarios of each problem code. OpenAPI documents are read only when a reader requests the
 * page of a code.
 */
export function usesOfCodes(
  providers: readonly ProviderOnPage[],
  scenarios: readonly ScenarioOnPage[],
): (code: ProblemCode) => CodeUses {
  let found: ReturnType<typeof codesOf> | undefined;
  return (code) => {
    found ??= codesOf(providers);
    return {
      providers: found.flatMap(({ endpoints, name, segment }) => {
        const own = endpoints.filter(({ codes }) => codes.has(code));
        const operationIds = own.map(({ operationId }) => operationId);
        return own.length === 0 ? [] : [{ name, segment, operationIds }];
      }),
      scenarios: scenarios.filter(({ problem }) => problem?.code === code),
    };
  };
}

/** Returns the problem codes of every endpoint. */
function codesOf(providers: readonly ProviderOnPage[]) {
  return providers.flatMap(({ document, name, segment }) =>
    document === null
      ? []
      : [
          {
            name,
            segment,
            endpoints: operationsOf(document).map(({ operation }) => ({
              operationId: operation.operationId,
              codes: new Set(problemsOfEndpoint(operation, document).map(({ code }) => code)),
            })),
          },
        ],
  );
}
