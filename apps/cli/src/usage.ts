import { createDays, daysAfter, type UsageRow, withStore } from "@insurance-gateway/gateway/store";
import type { Command } from "commander";
import { refuse } from "./command-parts.ts";
import { print } from "./output/print.ts";

/** The options of the command `usage`. The first and the last day are included. */
export interface UsageOptions {
  readonly from?: string;
  readonly to?: string;
  readonly account?: string;
  readonly format: "csv" | "json";
}

/** One row of the printed usage. */
type UsageLine = Readonly<Record<string, string | number>>;

/** Prints the usage of accounts by day, account, provider and endpoint. */
export async function printUsage(
  { account, format, from, to }: UsageOptions,
  command: Command,
): Promise<void> {
  if (from !== undefined && to !== undefined && from > to)
    refuse(command, "--from must not be after --to");
  await withStore(async ({ configuration, store }) => {
    const today = createDays(configuration.accounts.timeZone).dayOf(Date.now());
    const last = to ?? today;
    const first = from ?? `${last.slice(0, 8)}01`;
    const write = format === "csv" ? csvWriter() : jsonWriter();
    await write.begin();
    // Read one day at a time, so that years of many accounts need no more memory than one day.
    for (let day = first; day <= last; day = daysAfter(day, 1))
      await write.lines((await store.usageOn(day, account ?? null)).map(usageLineOf));
    await write.end();
  });
}

function usageLineOf(row: UsageRow): UsageLine {
  const { failed, inFlight, notSent, succeeded, unknown } = row;
  return {
    day: row.day,
    account: row.account,
    provider: row.segment,
    endpoint: row.endpoint,
    kind: row.kind,
    calls: row.calls,
    failedCalls: row.failedCalls,
    submissions: succeeded + failed + unknown + inFlight,
    succeeded,
    failed,
    unknown,
    inFlight,
    notSent,
  };
}

/** Writes the rows of usage in one output format. */
interface UsageWriter {
  begin(): Promise<void>;
  lines(lines: readonly UsageLine[]): Promise<void>;
  end(): Promise<void>;
}

const CSV_HEADER =
  "day,account,provider,endpoint,kind,calls,failedCalls,submissions,succeeded,failed,unknown,inFlight,notSent";

/**
 * Creates a writer of CSV (RFC 4180). No printed name contains a comma, a quote or a character that starts a formula.
 */
function csvWriter(): UsageWriter {
  return {
    begin: () => print(CSV_HEADER),
    async lines(lines) {
      if (lines.length > 0)
        await print(lines.map((line) => Object.values(line).join(",")).join("\n"));
    },
    end: async () => {},
  };
}

function jsonWriter(): UsageWriter {
  let before = "[\n";
  return {
    begin: async () => {},
    async lines(lines) {
      if (lines.length === 0) return;
      await print(before + lines.map((line) => JSON.stringify(line)).join(",\n"));
      before = ",";
    },
    end: () => print(before === "," ? "]" : "[]"),
  };
}
