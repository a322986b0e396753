import { type ProblemCode, problemCodes, rareMeanings } from "@insurance-gateway/core/problems";
import type { CodeMeaning } from "../document/open-api.ts";
import type { ProblemsOf } from "../errors/possible-problems.ts";

/** The problem codes that every own endpoint of the gateway can return. */
const commonCodes: readonly ProblemCode[] = [
  "INVALID_REQUEST",
  "VALIDATION_FAILED",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "RATE_LIMITED",
  "HEADERS_TOO_LARGE",
  "INTERNAL_ERROR",
  "OVERLOADED",
  "STORE_UNAVAILABLE",
  "AUTHENTICATION_UNAVAILABLE",
];

const furtherCodes: Readonly<Record<string, readonly ProblemCode[]>> = {
  readSubmission: ["SUBMISSION_NOT_FOUND"],
  findSubmission: ["SUBMISSION_NOT_FOUND"],
  readProviderStatus: ["NOT_FOUND"],
};

/** The problems of the gateway's own endpoints, which never act at an insurer. */
export const ownProblems: ProblemsOf = (operationId) => {
  const codes = [...commonCodes, ...(furtherCodes[operationId] ?? [])];
  return Object.fromEntries(codes.map((code) => [code, meaningsOf(code)]));
};

function meaningsOf(code: ProblemCode): readonly CodeMeaning[] {
  const { outcome, retry } = problemCodes[code];
  const rare = rareMeanings.filter(
    ({ call, codes }) => code === "INTERNAL_ERROR" && call === "other" && codes.includes(code),
  );
  return [
    { outcome, retry },
    ...rare.map(({ outcome, retry, when }) => ({ outcome, retry, when })),
  ];
}
