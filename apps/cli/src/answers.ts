import type { FailureRow } from "@insurance-gateway/core/contract";
import type { Counted, UnmatchedAnswer } from "@insurance-gateway/gateway/folder";
import { fetchFromOperator } from "./operator-address.ts";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";
import { plainTable } from "./output/table.ts";

/** The options of the command that lists. */
export interface AnswersOptions {
  /** The operator's address; the configuration's own when left out. */
  readonly from?: string;
  readonly json?: boolean;
  readonly rows?: boolean;
}

const COLUMNS = ["provider", "endpoint", "status", "media type", "code", "count", "first", "last"];

/** Prints the refusals of insurers that no row of `failures` matches, as a running gateway has counted them. */
export async function listAnswers({ from, json, rows }: AnswersOptions): Promise<void> {
  const found = await fetchFromOperator(from, "answers");
  if (found === null) return;
  // Only the gateway's own operator's address has this list.
  const { items } = found as { readonly items: readonly Counted<UnmatchedAnswer>[] };
  if (rows === true) await print(safeJson(items.flatMap(rowFor)));
  else if (json === true) await print(safeJson(items));
  else if (items.length === 0) await print("Every refusal since the start matched a row.");
  else await print(tableOf(items));
}

function tableOf(items: readonly Counted<UnmatchedAnswer>[]): string {
  const rows = items.map((item) => [
    item.segment,
    item.endpoint,
    String(item.status),
    item.mediaType || "-",
    item.code ?? "-",
    String(item.count),
    item.firstAt,
    item.lastAt,
  ]);
  return plainTable(COLUMNS, rows).text;
}

/** A row that an operator completes: what an answer proves is nothing that a program can guess. */
type Draft = Omit<FailureRow, "is"> & { readonly endpoint: string; readonly is: readonly string[] };

function rowFor({
  at,
  code,
  endpoint,
  mediaType,
  status,
}: Counted<UnmatchedAnswer>): readonly Draft[] {
  if (code === null || at === null) return [];
  return [
    {
      endpoint,
      status,
      media: mediaType,
      at,
      is: [code],
      code: "PROVIDER_REJECTED",
      outcome: "unknown",
      why: "",
    },
  ];
}
