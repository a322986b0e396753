import {
  findSubmission,
  type Moment,
  pseudonymOf,
  resolveStoredSubmission,
  revealMatchFields,
  type StoredResolution,
  type SubmissionRecord,
  type SubmissionState,
  withStore,
} from "@insurance-gateway/gateway/store";
import type { Command } from "commander";
import { refuse } from "./command-parts.ts";
import { type Columns, printList } from "./output/list.ts";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";

/** Lists submissions, newest first. */
export async function listSubmissions({
  json,
  limit,
  state,
}: {
  readonly state: readonly SubmissionState[];
  readonly limit: number;
  readonly json?: boolean;
}): Promise<void> {
  const items = await withStore(async ({ clock, store }) =>
    (await store.list(state, limit)).map((record) => operatorViewOf(record, clock.now())),
  );
  const names = Object.keys(items[0] ?? {});
  const columns: Columns<(typeof items)[number]> = Object.fromEntries(
    names.map((name) => [name, (item: (typeof items)[number]) => item[name] ?? null]),
  );
  await printList(items, { json, columns, none: `No submission is ${state.join(" or ")}.` });
}

/**
 * Shows a submission, who resolved or corrected the submission, and who viewed the submission's match fields. With
 * `reveal`, the match fields are decrypted and printed, after the store has recorded the viewer and the reason.
 */
export async function showSubmission(
  id: string,
  {
    by,
    reveal = false,
    why,
  }: { readonly reveal?: boolean; readonly by?: string; readonly why?: string },
  command: Command,
): Promise<void> {
  const look = by === undefined || why === undefined ? null : { by, reason: why };
  if ((look !== null) !== reveal || (look === null && (by ?? why) !== undefined))
    refuse(command, "--reveal, --by and --why must be given together");
  const facts = await withStore(async (open) => {
    const record = await findSubmission(open, id);
    const revealed =
      look === null ? {} : { matchFields: await revealMatchFields(open, record, look) };
    const all = await open.store.resolutions(id);
    return {
      ...operatorViewOf(record, open.clock.now()),
      resolutions: all.filter(({ from, to }) => from !== to).map(printableResolution),
      looks: all.filter(({ from, to }) => from === to).map(printableAccess),
      ...revealed,
    };
  });
  await print(safeJson(facts));
  if ("matchFields" in facts && facts.matchFields === null)
    process.stderr.write(
      "It has no match fields: the gateway deletes them when a submission is concluded.\n",
    );
}

/** Resolves a submission manually, or corrects the result of the submission. A gateway need not run. */
export async function resolveSubmission(
  id: string,
  {
    why,
    ...end
  }: {
    readonly as: "succeeded" | "failed";
    readonly insurerId?: string;
    readonly by: string;
    readonly why: string;
  },
): Promise<void> {
  const state = await withStore((open) =>
    resolveStoredSubmission(open, { id, ...end, reason: why }),
  );
  await print(`${id} is ${state}; from now on, its caller gets this result.`);
}

/** Returns the operator's view of a submission, without the submission's content and without personal data. */
function operatorViewOf(
  record: SubmissionRecord,
  now: Moment,
): Readonly<Record<string, string | number | null>> {
  return {
    submissionId: record.id,
    state: record.state,
    provider: record.provider,
    segment: record.segment,
    account: record.account,
    endpoint: record.endpoint,
    caller: pseudonymOf(record.caller),
    insurerId: record.insurerId,
    receivedAt: formatInstant(record.receivedAt),
    updatedAt: formatInstant(record.updatedAt),
    queries: record.queries,
    nextQueryAt: record.nextQueryAt === null ? null : formatDueInstant(record.nextQueryAt, now),
  };
}

function printableResolution({ at, by, from, reason, to }: StoredResolution): object {
  return { at: formatInstant(at), by, reason, from, to };
}

function printableAccess({ at, by, from, reason }: StoredResolution): object {
  return { at: formatInstant(at), by, reason, state: from };
}

/**
 * Converts a due time, which is a running time, to UTC. The running time advances only while gateways run, so the
 * result is correct only if a gateway runs until then.
 */
export function formatDueInstant(dueAt: number, { at, running }: Moment): string {
  return formatInstant(at + dueAt - running);
}

/** Formats a time as UTC for operators. */
export function formatInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
