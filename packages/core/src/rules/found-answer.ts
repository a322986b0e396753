import { answersOf, jsonAnswerOf } from "../contract/answers.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { check } from "../contract/faults.ts";
import { problemAnswer, type StoredAnswer, successAnswer } from "./stored-answer.ts";
import { carriedOutUnseen, notTaken } from "./submission-refusals.ts";
import { submissionAddress } from "./submission-standing.ts";

/**
 * Returns the answer to a submission that was found in the insurer's list: the item if it is a declared answer,
 * otherwise a problem with the outcome `executed`.
 */
export function foundAnswer(
  endpoint: Endpoint,
  {
    id,
    insurerId,
    item,
  }: { readonly id: string; readonly insurerId: string; readonly item: unknown },
  basePath: string,
): StoredAnswer {
  const href = submissionAddress(basePath, id);
  const fitting = answersOf(endpoint).find(([, declared]) => {
    const schema = jsonAnswerOf(declared);
    return schema !== undefined && check(schema, item).valid;
  });
  return fitting
    ? successAnswer({ status: fitting[0], content: JSON.stringify(item) }, HEADERS, href)
    : problemAnswer(carriedOutUnseen("the insurer's list contains it", { href, insurerId }), {
        provider: endpoint.provider,
        requestId: id,
      });
}

/** Returns the answer to a submission that two queries did not find in the insurer's list. */
export function absentAnswer(
  { provider }: Endpoint,
  {
    id,
    receivedAt,
    unknownAt,
  }: { readonly id: string; readonly receivedAt: number; readonly unknownAt: number | null },
): StoredAnswer {
  const since = new Date(unknownAt ?? receivedAt).toISOString();
  const proof = `its outcome was unknown since ${since}, and the insurer's list did not contain it in two queries after the settle time`;
  return problemAnswer(notTaken(proof), { provider, requestId: id });
}

const HEADERS = {
  "cache-control": "no-store",
  "content-type": "application/json; charset=utf-8",
} as const;
