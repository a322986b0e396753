import { insurerFaults } from "@insurance-gateway/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { type Kind, kinds } from "../harness/fault-calls.ts";
import { cellOf, documentedTable, tableOf, writeTable } from "../harness/fault-document.ts";
import { hindrances } from "../harness/fault-hindrances.ts";
import {
  describeTrouble,
  isHindrance,
  type Measured,
  measureRow,
  type Row,
  timedTroubles,
} from "../harness/fault-rows.ts";
import { type ExpectedRow, faultTable, type TroubleName } from "./fault-table.ts";

// The keys of the two records are all names of faults.
const troubles = Object.keys({ ...hindrances, ...insurerFaults }) as TroubleName[];

const measuring = new Map<TroubleName, Promise<Row>>();

/** Number of rows that are measured at the same time, each with a separate gateway, because a row mostly waits. */
const MAX_ROWS_AT_ONCE = 6;
// The row whose measurement waits longest is measured first.
const queue = new Set<TroubleName>(["never-accepted", ...troubles]);
for (const trouble of timedTroubles) queue.delete(trouble);
beforeAll(async () => {
  await Promise.all(Array.from({ length: MAX_ROWS_AT_ONCE }, measureQueue));
  // Faults for which the test stops the clock are measured last: a stopped clock stops all timers of the process.
  for (const trouble of timedTroubles) await rowOf(trouble).catch(() => undefined);
}, 240_000);

async function measureQueue(): Promise<void> {
  for (const next of queue) {
    queue.delete(next);
    // The test that reads the row reports the failure.
    await rowOf(next).catch(() => undefined);
  }
}

/** Measures a row of the fault table once, for all tests that read the row. */
function rowOf(trouble: TroubleName): Promise<Row> {
  const row = measuring.get(trouble) ?? measureRow(trouble);
  measuring.set(trouble, row);
  return row;
}

function expectedOf({ answer, arrivals, proxyStatus }: ExpectedRow, kind: Kind): object {
  const said = answer[kind] ?? answer.others;
  return {
    cell: `${said} · ${arrivals[kind] ?? arrivals.others}`,
    proxyStatus: said.startsWith("200") ? null : (proxyStatus[kind] ?? proxyStatus.others),
    retryAfter: retryAfterOf(said, proxyStatus[kind] ?? proxyStatus.others),
  };
}

/**
 * Returns the expected `Retry-After` in seconds: 7 from the insurer, or 3 for an unknown outcome, which the gateway
 * queries after 2.
 */
function retryAfterOf(answer: string, proxyStatus: string): string | null {
  if (answer.includes("OUTCOME_UNKNOWN")) return "3";
  return /received-status=(429|503)/.test(proxyStatus) ? "7" : null;
}

function actualOf(measured: Measured): {
  readonly cell: string;
  readonly proxyStatus: string | null;
  readonly retryAfter: string | null;
} {
  const { proxyStatus, retryAfter } = measured;
  return { cell: cellOf(measured), proxyStatus, retryAfter };
}

const ADDRESS: unknown = expect.stringMatching(/^\/submissions\/[0-9a-f-]{36}$/);

/** Returns the required members of a submission's problem that the cell of the table does not show. */
function guidanceOf(answer: string): object {
  if (answer.includes(" unknown "))
    return {
      insurerId: undefined,
      reconciliation: {
        href: ADDRESS,
        endpoint: "searchApplications",
        parameters: { clientAfm: { from: "/holder/afm" } },
      },
    };
  return answer.includes(" executed ")
    ? { insurerId: expect.stringMatching(/^D-\d{6}$/), reconciliation: { href: ADDRESS } }
    : { insurerId: undefined, reconciliation: undefined };
}

/** Returns the required answer to a repetition of the same key while the insurer works. */
function expectedAgain(trouble: TroubleName, { answer }: Measured): object {
  if (/ (not_sent|rejected) safe$/.test(answer))
    return isHindrance(trouble)
      ? { answer, arrivals: 0, replayed: false }
      : { answer: "201", arrivals: 1, replayed: false };
  return { answer, arrivals: 0, replayed: !answer.includes(" unknown ") };
}

/**
 * Returns the required answer to a submission without a key. An unknown outcome has the advice to check first. After
 * refused credentials, the gateway sends nothing.
 */
function expectedUnkeyed(trouble: TroubleName, keyed: Measured): object {
  if (trouble === "unauthorized" || trouble === "forbidden")
    return {
      cell: "502 PROVIDER_AUTH_FAILED not_sent safe · 0",
      proxyStatus: null,
      retryAfter: null,
    };
  const { cell, proxyStatus, retryAfter } = actualOf(keyed);
  const isUnknown = keyed.answer.includes("OUTCOME_UNKNOWN");
  return {
    cell: cell.replace("unknown same_key", "unknown after_check"),
    proxyStatus,
    retryAfter: isUnknown ? null : retryAfter,
  };
}

const described = troubles.map((trouble) => [trouble, describeTrouble(trouble)] as const);

describe.each(described)("the fault %s: the insurer %s", (trouble) => {
  it.each(kinds)(
    "the caller's answer to a %s call and the number of requests that the insurer receives agree with the fault table",
    async (kind) => {
      const { calls } = await rowOf(trouble);
      expect(actualOf(calls[kind])).toEqual(expectedOf(faultTable[trouble], kind));
    },
  );

  it("a submission without an idempotency key gets the same answer after a fault as a submission with a key, except for the advice", async () => {
    const { calls, unkeyed } = await rowOf(trouble);
    expect(actualOf(unkeyed)).toEqual(expectedUnkeyed(trouble, calls.submission));
    for (const { answer, reconciliation, insurerId } of [unkeyed, calls.submission])
      expect({ reconciliation, insurerId }).toEqual(guidanceOf(answer));
  });

  it("the gateway sends a repeated request with the same idempotency key only if the first answer allowed a repetition", async () => {
    const { again, calls } = await rowOf(trouble);
    const { answer, arrivals, reconciliation, insurerId, replayed } = again;
    expect({ answer, arrivals, replayed }).toEqual(expectedAgain(trouble, calls.submission));
    // The answer to the repetition describes the same submission as the first answer.
    if (arrivals === 0)
      expect({ reconciliation, insurerId }).toEqual({
        reconciliation: calls.submission.reconciliation,
        insurerId: calls.submission.insurerId,
      });
  });

  it("the insurer receives only the expected requests after a fault, and no problem contains a customer's data", async () => {
    const { again, calls, customers, strays, unkeyed } = await rowOf(trouble);
    expect(strays).toBe(0);
    for (const { problem = "" } of [...Object.values(calls), unkeyed, again])
      for (const customer of customers) expect(problem).not.toContain(customer);
  });
});

describe("docs/faults.md", () => {
  it("the table in docs/faults.md shows the measured answers (UPDATE_DOCS=1 writes the table)", async () => {
    const rows = new Map<TroubleName, Row>();
    for (const trouble of troubles) rows.set(trouble, await rowOf(trouble));
    const table = tableOf(rows);
    if (process.env.UPDATE_DOCS === "1") writeTable("faults", table);
    expect(documentedTable("faults")).toBe(table);
  });
});
