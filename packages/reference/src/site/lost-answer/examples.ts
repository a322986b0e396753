import { valueAt } from "@insurance-gateway/core/contract";
import { withValueAt } from "@insurance-gateway/core/runtime";
import type { ResponseObject } from "../../document/open-api.ts";
import type { LostAnswerStory } from "./story.ts";

/** Shortened example answers of each step of the demonstration of a lost answer, for browsers without scripts. */
export interface StoryExamples {
  readonly unknown: string;
  readonly asked: string;
  readonly resolved: string;
  readonly record: string;
  readonly replay: string;
}

const HREF = "/submissions/0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11";

/** Writes the example answers of the demonstration of a lost answer. */
export function examplesOf({ provider, search, submission }: LostAnswerStory): StoryExamples {
  const { operation } = submission;
  const [[status, created] = ["201", null]] = Object.entries(operation.responses)
    .filter(([code]) => code.startsWith("2"))
    .map(([code, response]) => [code, exampleIn(response)] as const);
  const state = (now: string, more: object): string =>
    written("200 OK", {
      submissionId: HREF.split("/").at(-1),
      provider: provider.id,
      endpoint: operation.operationId,
      state: now,
      ...more,
    });
  const items = search.operation["x-paging"]?.items ?? "";
  return {
    unknown: written("504 Gateway Timeout", {
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
      retry: "same_key",
      reconciliation: { href: HREF, ...operation["x-reconciliation"] },
    }),
    asked: state("outcome_unknown", { answer: null }),
    resolved: state("succeeded", { answer: { status: Number(status), body: created } }),
    record: written("200 OK", items === "" ? [created] : withValueAt({}, items, [created])),
    replay: written(`${status}\nIdempotency-Replayed: true`, created),
  };
}

function exampleIn(response: ResponseObject | { readonly $ref: string }): unknown {
  const [media] = Object.values("content" in response ? (response.content ?? {}) : {});
  const [example] = Object.values(media?.examples ?? {});
  return valueAt(example, "/value") ?? null;
}

function written(status: string, body: unknown): string {
  return `HTTP/1.1 ${status}\n\n${JSON.stringify(body, null, 2)}`;
}
