import { type Advice, type ProblemCode, problemCodes } from "@insurance-gateway/core/problems";
import { problemType } from "@insurance-gateway/core/runtime";
import type { OperationFacts } from "./headers.ts";

/** Codes of problems that occur before the gateway knows the provider. */
const codesBeforeRouting: readonly ProblemCode[] = [
  "UNAUTHENTICATED",
  "AUTHENTICATION_UNAVAILABLE",
  "HEADERS_TOO_LARGE",
  "INVALID_REQUEST",
  "OVERLOADED",
];

/**
 * Returns an example of a problem.
 * @param pagesOfCodes - the address of the codes' pages, without the code
 * @param endpoint - the endpoint that answers with the problem; its provider is "" for the gateway itself
 * @param meaning - the meaning of the code (default: the usual one)
 */
export function exampleProblem(
  code: ProblemCode,
  pagesOfCodes: string,
  endpoint: Pick<OperationFacts, "hasBody" | "provider">,
  meaning: Advice = problemCodes[code],
): object {
  const { status, title } = problemCodes[code];
  const { outcome, retry } = meaning;
  return {
    type: problemType(pagesOfCodes, code),
    title,
    status,
    code,
    detail: `${title}.`,
    requestId: "2c61561a-6cf3-40f7-9306-326226775525",
    provider:
      codesBeforeRouting.includes(code) || endpoint.provider === "" ? null : endpoint.provider,
    outcome,
    retry,
    ...(code === "VALIDATION_FAILED" ? { errors: [faultOf(endpoint)] } : {}),
    ...(code === "OUTCOME_UNKNOWN"
      ? { reconciliation: { href: "/submissions/0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11" } }
      : {}),
  };
}

function faultOf({ hasBody }: Pick<OperationFacts, "hasBody">): object {
  return hasBody
    ? { pointer: "/holder", code: "REQUIRED", message: "is required" }
    : { pointer: "/query/nonsense", code: "UNKNOWN_FIELD", message: "is not an accepted field" };
}
