import type { Counted, Difference } from "@insurance-gateway/gateway/folder";
import { EXIT_DRIFT } from "./exit-codes.ts";
import { fetchFromOperator } from "./operator-address.ts";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";
import { plainTable } from "./output/table.ts";

/** The options of the command that lists. */
export interface DriftOptions {
  /** The operator's address; the configuration's own when left out. */
  readonly from?: string;
  readonly json?: boolean;
  /** Lists only the differences of the last so many hours. */
  readonly hours?: number;
}

const COLUMNS = [
  "provider",
  "endpoint",
  "place",
  "difference",
  "breaking",
  "count",
  "first",
  "last",
];

const HOUR_MS = 3_600_000;

/**
 * Prints in what insurers' answers differ from their declarations, as running gateways have found. The exit code says
 * whether a difference is breaking.
 */
export async function listDrift({ from, hours, json }: DriftOptions): Promise<void> {
  const found = await fetchFromOperator(from, "drift");
  if (found === null) return;
  // Only the gateway's own operator's address has this list.
  const { items: all } = found as { readonly items: readonly Counted<Difference>[] };
  const since = hours === undefined ? 0 : Date.now() - hours * HOUR_MS;
  const items = all.filter(({ lastAt }) => Date.parse(lastAt) >= since);
  if (json === true) await print(safeJson(items));
  else if (items.length === 0) await print("No answer differs from its declaration.");
  else await print(tableOf(items));
  if (items.some(({ breaking }) => breaking)) process.exitCode = EXIT_DRIFT;
}

function tableOf(items: readonly Counted<Difference>[]): string {
  const rows = items.map((item) => [
    item.segment,
    item.endpoint,
    item.pointer || "/",
    item.kind,
    item.breaking ? "yes" : "no",
    String(item.count),
    item.firstAt,
    item.lastAt,
  ]);
  return plainTable(COLUMNS, rows).text;
}
