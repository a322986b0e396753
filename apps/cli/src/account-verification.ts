import { tryAccounts, type Verification } from "@insurance-gateway/gateway/store";
import { EXIT_FAILED, EXIT_USAGE } from "./exit-codes.ts";
import { print } from "./output/print.ts";
import { createProgress } from "./output/progress.ts";
import { safeJson } from "./output/safe-text.ts";
import { plainTable } from "./output/table.ts";

/** The options of the command for a verification. */
export interface VerifyOptions {
  readonly json?: boolean;
}

/**
 * Makes a trial call with each account, in this process, and prints what it showed. The exit code says whether all of
 * them can be used.
 * @param ids - of those to verify; all where there are none
 */
export async function verify(ids: readonly string[], options: VerifyOptions): Promise<void> {
  const shown = createProgress(process.stderr);
  const trials = await tryAccounts(ids, {
    progress: (done, of) => shown.update(`${done} of ${of} accounts`),
    warn: (message) => process.stderr.write(`${message}\n`),
  }).finally(() => shown.end());
  if ("unknown" in trials) {
    process.stderr.write(`There is no account ${trials.unknown.join(", ")}.\n`);
    process.exitCode = EXIT_USAGE;
    return;
  }
  const { found } = trials;
  if (options.json === true) await print(safeJson(found));
  else await print(reportOf(found));
  if (found.some(({ state }) => state === "unusable")) process.exitCode = EXIT_FAILED;
}

function reportOf(found: readonly Verification[]): string {
  const rows = found.map(({ endpoint, id, latencyMs, segment, state, tenant }) => [
    id,
    segment,
    tenant?.name ?? "-",
    endpoint ?? "-",
    state,
    String(latencyMs ?? "-"),
  ]);
  const faults = found.flatMap(({ code, detail, id, segment }) =>
    code === null ? [] : [`${id} at ${segment}: ${code}. ${detail}`],
  );
  const table = plainTable(["account", "segment", "tenant", "called", "state", "ms"], rows);
  return [table.text, ...faults].join("\n");
}
