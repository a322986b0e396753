import type { FailureRow } from "@insurance-gateway/core/contract";
import type { CountedKind, UnmatchedAnswer } from "@insurance-gateway/gateway/folder";
import { fetchFromOperator } from "./operator-address.ts";
import { printList } from "./output/list.ts";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";

/** Prints the insurers' error answers that match no `failures` row, as a running gateway has counted them. */
export async function listAnswers({
  from,
  json,
  rows,
}: {
  readonly from?: string;
  readonly json?: boolean;
  readonly rows?: boolean;
}): Promise<void> {
  const items = await fetchFromOperator<CountedKind<UnmatchedAnswer>>(from, "answers");
  if (items === null) return;
  if (rows === true) return print(safeJson(items.flatMap(draftRowFor)));
  await printList(items, {
    json,
    none: "Every error answer since the gateway's start matched a row of failures.",
    columns: {
      provider: ({ segment }) => segment,
      endpoint: ({ endpoint }) => endpoint,
      status: ({ status }) => status,
      "media type": ({ mediaType }) => mediaType,
      code: ({ code }) => code,
      count: ({ count }) => count,
      first: ({ firstAt }) => firstAt,
      last: ({ lastAt }) => lastAt,
    },
  });
}

/**
 * A draft of a `failures` row. An operator must complete the draft, because no program can guess what an insurer's
 * answer proves about the call.
 */
type FailureRowDraft = Omit<FailureRow, "is"> & {
  readonly endpoint: string;
  readonly is: readonly string[];
};

function draftRowFor({
  at,
  code,
  endpoint,
  mediaType: media,
  status,
}: CountedKind<UnmatchedAnswer>): readonly FailureRowDraft[] {
  if (code === null || at === null) return [];
  const draft = { code: "PROVIDER_REJECTED", outcome: "unknown", why: "" } as const;
  return [{ endpoint, status, media, at, is: [code], ...draft }];
}
