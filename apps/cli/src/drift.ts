import type { CountedKind, Difference } from "@insurance-gateway/gateway/folder";
import { EXIT_DRIFT } from "./exit-codes.ts";
import { fetchFromOperator } from "./operator-address.ts";
import { printList } from "./output/list.ts";

const HOUR_MS = 3_600_000;

/**
 * Prints the differences that a running gateway has found between insurers' answers and the endpoints' declarations.
 * The exit code reports whether a difference is breaking.
 * @param options.hours - lists only the differences that were found in this number of hours before now
 */
export async function listDrift({
  from,
  hours,
  json,
}: {
  readonly from?: string;
  readonly hours?: number;
  readonly json?: boolean;
}): Promise<void> {
  const all = await fetchFromOperator<CountedKind<Difference>>(from, "drift");
  if (all === null) return;
  const since = hours === undefined ? 0 : Date.now() - hours * HOUR_MS;
  const items = all.filter(({ lastAt }) => Date.parse(lastAt) >= since);
  await printList(items, {
    json,
    none: "No answer differs from its declaration.",
    columns: {
      provider: ({ segment }) => segment,
      endpoint: ({ endpoint }) => endpoint,
      place: ({ pointer }) => pointer || "/",
      difference: ({ kind }) => kind,
      breaking: ({ breaking }) => (breaking ? "yes" : "no"),
      count: ({ count }) => count,
      first: ({ firstAt }) => firstAt,
      last: ({ lastAt }) => lastAt,
    },
  });
  if (items.some(({ breaking }) => breaking)) process.exitCode = EXIT_DRIFT;
}
