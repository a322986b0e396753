import type { Endpoint } from "@insurance-gateway/core/contract";
import { problemOf } from "../problems/problem.ts";
import { Refusal } from "../problems/refusal.ts";
import type { Settlement } from "../store/record.ts";
import type { Encryption } from "./encryption.ts";
import { encryptAnswer, type StoredAnswer } from "./stored-answer.ts";
import type { Retention } from "./timing.ts";

/** What settlements are made with. */
export interface SettlementParts {
  readonly encryption: Encryption;
  readonly retention: Retention;
  readonly basePath: string;
}

/** What became of a submission. */
export interface Ending {
  readonly id: string;
  readonly at: number;
  readonly state: "succeeded" | "failed";
  readonly insurerId: string | null;
  readonly answer: StoredAnswer;
}

/** Makes what is written of an ending. */
export function settlementOf(
  { retention, encryption }: SettlementParts,
  { answer, at, id, insurerId, state }: Ending,
): Settlement {
  return {
    id,
    at,
    state,
    insurerId,
    answer: encryptAnswer(encryption, id, answer),
    keyId: encryption.keyId,
    answerUntil: at + retention.answerMs,
    forgetAt: at + retention.digestsMs,
  };
}

/** A problem as an answer that can be kept. */
export function problemAnswer(
  refusal: Refusal,
  {
    endpoint,
    requestId,
  }: { readonly endpoint: Pick<Endpoint, "provider">; readonly requestId: string },
  basePath: string,
): StoredAnswer {
  const proxyStatus = refusal.details.headers?.["proxy-status"];
  const problem = problemOf(refusal, { requestId, basePath, provider: endpoint.provider });
  return {
    status: problem.status,
    headers: {
      "content-type": "application/problem+json; charset=utf-8",
      "cache-control": "no-store",
      ...(proxyStatus === undefined ? {} : { "proxy-status": proxyStatus }),
    },
    content: JSON.stringify(problem),
    problem: { code: problem.code, outcome: problem.outcome },
  };
}

/** An insurer's answer as it is kept and given: with the address of the submission. */
export function successAnswer(
  answer: { readonly status: number; readonly content: string },
  headers: Readonly<Record<string, string>>,
  location: string,
): StoredAnswer {
  return {
    status: answer.status,
    headers: { ...headers, location },
    content: answer.content,
  };
}

/** What the caller of a submission is told that is proven not to have been taken. */
export function notTaken(proof: string): Refusal {
  return new Refusal("PROVIDER_REJECTED", {
    detail: `The insurer did not take it: ${proof}. To submit it anew, use a new Idempotency-Key.`,
  });
}

/** What the caller of a submission is told that was carried out, and whose answer nobody has. */
export function carriedOutUnseen(
  proof: string,
  place: { readonly href: string; readonly insurerId: string | null },
): Refusal {
  return new Refusal("PROVIDER_BAD_RESPONSE", {
    detail: `The insurer acted: ${proof}. Its answer was lost; do not send it again.`,
    outcome: "executed",
    retry: "never",
    reconciliation: { href: place.href },
    ...(place.insurerId === null ? {} : { insurerId: place.insurerId }),
  });
}
