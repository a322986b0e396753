import { beforeAll, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { documentedTable, writeTable } from "../harness/fault-document.ts";
import { startInProcess } from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { afmOf, answeringCells, bodies, cells } from "./status-insurer.ts";

/** Statuses after which submissions wait until a read shows that the insurer accepts the credentials. */
const credentialStatuses = [401, 403, 407];
const SIMULTANEOUS_SUBMISSIONS = 32;

/** Indexes of the cells whose application the insurer executed, repeated for each execution. */
const acted: number[] = [];
/** The caller's outcome for each cell and, if the outcome is not unknown, the code. */
const outcomes: string[] = [];

beforeAll(async () => {
  const insurer = await startInsurer(answeringCells((index) => void acted.push(index)));
  const provider = {
    package: "@insurance-gateway/provider-d",
    upstream: { baseUrl: insurer.baseUrl, credentials: { type: "none" } },
    breaker: { failuresInRow: 10_000, minCalls: 10_000 },
    callerLimit: { requests: 100_000 },
  };
  // The clock is stopped, so no query of a submission becomes due.
  const gateway = await startInProcess({ providers: [provider] }, {}, { time: holdTime() });
  const submit = async (index: number): Promise<void> => {
    const headers = { "idempotency-key": `cell-${index}` };
    const body = applicationBody(afmOf(index));
    const { code, outcome } = await problemIn(await submitApplication(gateway, body, headers));
    outcomes[index] = code === "OUTCOME_UNKNOWN" ? outcome : `${outcome} ${code}`;
  };
  const isOfCredentials = (index: number): boolean =>
    credentialStatuses.includes(cells[index]?.status ?? 0);
  const all = [...cells.keys()];
  const queue = all.filter((index) => !isOfCredentials(index)).values();
  await Promise.all(
    Array.from({ length: SIMULTANEOUS_SUBMISSIONS }, async () => {
      for (const index of queue) await submit(index);
    }),
  );
  const search = `${gateway.address}/provider-d/applications/search?clientAfm=123456789`;
  for (const index of all.filter(isOfCredentials)) {
    await submit(index);
    await fetch(search, { headers: { authorization: `Bearer ${gateway.token}` } });
  }
  await gateway.stop();
  await insurer.close();
}, 240_000);

describe("submissions that are answered with a status from 400 to 599", () => {
  it("the gateway sends each submission once, and never reports an executed submission as refused or not sent", () => {
    const acting = [...cells.keys()].filter((index) => cells[index]?.acts === true);
    expect(acted.toSorted((one, other) => one - other)).toEqual(acting);
    expect(acting.filter((index) => outcomes[index] !== "unknown")).toEqual([]);
  });

  it("the outcome of an error answer is `unknown` unless the insurer's own JSON refuses the submission", () => {
    const others = cells.filter(
      ({ body }, index) => outcomes[index] !== "unknown" && body !== "the insurer's JSON",
    );
    expect(others).toEqual([]);
  });

  it("the measured outcomes agree with the table in docs/faults.md, which UPDATE_DOCS=1 writes", () => {
    const table = tableOf();
    if (process.env.UPDATE_DOCS === "1") writeTable("statuses", table);
    expect(documentedTable("statuses")).toBe(table);
  });
});

/** Writes the outcomes as a Markdown table. Statuses with the same outcomes share a row. */
function tableOf(): string {
  const columns = Object.keys(bodies).flatMap((body) =>
    body === "the insurer's JSON"
      ? [
          { title: "the insurer's refusal", body, acts: [false] },
          { title: "the insurer's application", body, acts: [true] },
        ]
      : [{ title: body, body, acts: [false, true] }],
  );
  const rows = new Map<string, number[]>();
  for (const status of new Set(cells.map((cell) => cell.status))) {
    const texts = columns.map(({ acts, body }) => {
      const found = [...cells.entries()]
        .filter(([, cell]) => cell.status === status && cell.body === body)
        .filter(([, cell]) => acts.includes(cell.acts))
        .map(([index]) => `\`${outcomes[index]?.replace(" ", "` `") ?? ""}\``);
      return [...new Set(found)].join(" or ");
    });
    const row = texts.join(" | ");
    rows.set(row, [...(rows.get(row) ?? []), status]);
  }
  const heads = ["status", ...columns.map(({ title }) => title)];
  const lines = [...rows].map(([texts, statuses]) => `${rangesOf(statuses)} | ${texts}`);
  return [heads.join(" | "), heads.map(() => "---").join(" | "), ...lines]
    .map((line) => `| ${line} |\n`)
    .join("");
}

/** Writes numbers with ranges: 400, 402, 404–406. */
function rangesOf(numbers: readonly number[]): string {
  return numbers
    .filter((number) => !numbers.includes(number - 1))
    .map((first) => {
      let last = first;
      while (numbers.includes(last + 1)) last++;
      return first === last ? String(first) : `${first}–${last}`;
    })
    .join(", ");
}
