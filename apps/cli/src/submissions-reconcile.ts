import { setTimeout } from "node:timers/promises";
import {
  findSubmission,
  isReconciled,
  type Moment,
  type OpenStore,
  type SubmissionRecord,
  withStore,
} from "@insurance-gateway/gateway/store";
import { EXIT_UNANSWERED, exitCodeByOutcome } from "./exit-codes.ts";
import { print } from "./output/print.ts";
import { createProgress } from "./output/progress.ts";
import { formatDueInstant } from "./submissions.ts";

/** The sentence to print, and the exit code. */
interface ReconcileResult {
  readonly text: string;
  readonly code: number;
}

/** Pause between the command's reads of the store while the gateway queries the insurer, in milliseconds. */
const STORE_READ_INTERVAL_MS = 250;

/**
 * Makes the gateway query the insurer now, and waits for the result. The gateway submits nothing.
 * @param options.wait - longest wait in seconds
 */
export async function reconcileSubmission(
  id: string,
  { wait }: { readonly wait: number },
): Promise<void> {
  const { code, text } = await withStore(async (open) => {
    const before = await findSubmission(open, id);
    const refused = isConcluded(before)
      ? queryResultOf(before, open.clock.now())
      : await startQuery(open, before);
    return refused ?? waitForResult(open, before, wait);
  });
  await print(text);
  process.exitCode = code;
}

/** Makes the submission's next query due now. Returns a result only if no query is possible. */
async function startQuery(
  open: OpenStore,
  { id, segment, state }: SubmissionRecord,
): Promise<ReconcileResult | null> {
  const { clock, store } = open;
  if (state === "in_flight")
    throw new Error(
      `${id} is in_flight: the gateway is still sending it. If the gateway has stopped, the state becomes outcome_unknown within the time limit. Then run this again.`,
    );
  if (!(await isReconciled(open, segment)))
    return {
      code: EXIT_UNANSWERED,
      text: `${id} is still ${state}: no gateway reconciles ${segment}, so nothing was changed. Start a gateway that serves ${segment} from this store, then run this again.`,
    };
  if (state === "needs_review" && !(await store.reopen(id, clock.now())))
    throw new Error(
      `${id} needs_review, and its endpoint has no reconciliation query: ask the insurer, then resolve it manually.`,
    );
  // A query for an operator does not wait for the usual pause between queries.
  await store.bringForwardOne(id, clock.now().running, Number.MAX_SAFE_INTEGER);
  return null;
}

async function waitForResult(
  open: OpenStore,
  before: SubmissionRecord,
  wait: number,
): Promise<ReconcileResult> {
  const { id } = before;
  const progress = createProgress(process.stderr);
  const started = performance.now();
  try {
    for (;;) {
      const record = await findSubmission(open, id);
      if (isConcluded(record) || record.queries > before.queries)
        return queryResultOf(record, open.clock.now());
      const seconds = Math.floor((performance.now() - started) / 1_000);
      if (seconds >= wait) return noAnswerResult(record, wait, open.clock.now());
      progress.update(`${id} is ${record.state}; waiting for the insurer, ${seconds} of ${wait} s`);
      await setTimeout(STORE_READ_INTERVAL_MS);
    }
  } finally {
    progress.end();
  }
}

function isConcluded({ state }: SubmissionRecord): boolean {
  return state === "succeeded" || state === "failed";
}

function queryResultOf(record: SubmissionRecord, now: Moment): ReconcileResult {
  const { id, insurerId, state } = record;
  if (state === "succeeded")
    return {
      code: 0,
      text: `${id} is succeeded${insurerId === null ? "" : `; the insurer's identifier is ${insurerId}`}.`,
    };
  if (state === "failed") return { code: 0, text: `${id} is failed: the insurer did not take it.` };
  return {
    code: exitCodeByOutcome.unknown,
    text: `${id} is still ${state}: ${adviceWithoutProof(record, now)}`,
  };
}

function adviceWithoutProof({ nextQueryAt }: SubmissionRecord, now: Moment): string {
  return nextQueryAt === null
    ? "the insurer's answer proves nothing. Ask the insurer, then resolve it manually."
    : `the insurer's answer proves nothing yet. The next query is due at ${formatDueInstant(nextQueryAt, now)}.`;
}

function noAnswerResult(
  { id, nextQueryAt, state }: SubmissionRecord,
  wait: number,
  now: Moment,
): ReconcileResult {
  const next =
    nextQueryAt === null ? "" : ` The next query is due at ${formatDueInstant(nextQueryAt, now)}.`;
  return {
    code: exitCodeByOutcome.unknown,
    text: `${id} is still ${state}: the insurer has not answered a query within ${wait} s.${next} /providers at the operations address shows whether the insurer answers.`,
  };
}
