import { createDays, daysAfter, type UsageRow, withStore } from "@insurance-gateway/gateway/store";
import type { Command } from "commander";
import { refuse } from "./command-parts.ts";
import { print } from "./output/print.ts";

/** The options of the command for usage; days are both included. */
export interface UsageOptions {
  readonly from?: string;
  readonly to?: string;
  readonly account?: string;
  readonly format: "csv" | "json";
}

/** One line of what is printed. */
type Line = Readonly<Record<string, string | number>>;

/** Prints what accounts have used, by day, account, provider and endpoint. */
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
    // A day at a time: years of many accounts need no more memory than a day.
    for (let day = first; day <= last; day = daysAfter(day, 1))
      await write.lines((await store.usageOn(day, account ?? null)).map(lineOf));
    await write.end();
  });
}

function lineOf(row: UsageRow): Line {
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

/** Writes lines as they come. */
interface Writer {
  begin(): Promise<void>;
  lines(lines: readonly Line[]): Promise<void>;
  end(): Promise<void>;
}

const COLUMNS =
  "day,account,provider,endpoint,kind,calls,failedCalls,submissions,succeeded,failed,unknown,inFlight,notSent";

/** RFC 4180. No name has a comma, a quote or a sign that a spreadsheet takes for a formula. */
function csvWriter(): Writer {
  return {
    begin: () => print(COLUMNS),
    async lines(lines) {
      if (lines.length > 0)
        await print(lines.map((line) => Object.values(line).join(",")).join("\n"));
    },
    end: async () => {},
  };
}

function jsonWriter(): Writer {
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
