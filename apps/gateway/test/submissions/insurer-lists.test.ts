import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Behaviour, type Insurer, json, problem, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";
import { PAGING_ADAPTER, PAGING_PACKAGE } from "./paging-package.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Creation times of the items in the tables, in milliseconds after the gateway received the submission. */
const createdAfter: Readonly<Record<string, number>> = {
  A: 3 * SECOND,
  A2: 3 * SECOND,
  B: 2 * SECOND,
  C: 2 * SECOND,
  unnamed: 2 * SECOND,
  own: 1 * SECOND,
  // The insurer's clock may be five minutes behind.
  recent: -5 * MINUTE,
  older: -5 * MINUTE - 1,
  older2: -5 * MINUTE - 1,
  oldest: -9 * MINUTE,
};
/** Answers that are not pages. */
const otherAnswers: Readonly<Record<string, Behaviour>> = {
  lost: (response) => void response.destroy(),
  "not a list": json(200, {}),
  "two lists": json(200, '{"found":[],"total":0,"found":[]}'),
  "status 401": problem(401, "UNAUTHENTICATED"),
  "status 422": problem(422, "PROVIDER_REJECTED"),
  "status 503": problem(503, "PROVIDER_UNAVAILABLE"),
};

let time: HeldTime;
let insurer: Insurer;
let gateway: GatewayInProcess;
/** The customer of the current test. */
let customer = 0;
/** The insurer's answers to the requests for pages of the current customer's items, in order. */
let answers: readonly Behaviour[] = [];
/** The requests for pages of the current customer's items since the last query began. */
let asked: URL[] = [];

beforeAll(async () => {
  time = holdTime();
  insurer = await startInsurer((response, arrival) => {
    if (arrival.method === "POST") return void response.destroy();
    const request = new URL(arrival.url, insurer.baseUrl);
    const isCurrent = request.searchParams.get("customer") === String(customer);
    const answer = isCurrent ? answers[asked.push(request) - 1] : undefined;
    (answer ?? json(200, { found: [] }))(response, arrival);
  });
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PAGING_PACKAGE, PAGING_ADAPTER);
  const provider = {
    package: "provider-m",
    upstream: { baseUrl: insurer.baseUrl, credentials: { type: "none" } },
    breaker: { failuresInRow: 10_000, minCalls: 10_000 },
  };
  const configuration = { providers: [provider], submissions: { queriesPerSecond: 1_000 } };
  gateway = await startInProcess(configuration, {}, { folder, time });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

/**
 * Submits for a new customer. The insurer breaks the connection instead of answering.
 * @param pages - the answers to the requests of each later query, such as `A own total=3; lost`
 * @returns the address of the submission's state
 */
async function submitInVain(paging: string, pages: string): Promise<string> {
  customer += 1;
  const sent = { customer: String(customer), plate: "IKY1234" };
  answers = pages.split("; ").map((page) => otherAnswers[page] ?? answerOf(page, sent));
  const response = await gateway.ask(`/provider-m/${paging}`, { json: sent });
  return Object(await response.json()).reconciliation.href;
}

/** Names of the items of a long page, which are as old as the submission. */
const MANY = /^I\d+$/;

/** Returns when an item was created, in milliseconds since 1970. */
function creationTimeOf(name: string): number {
  const after = MANY.test(name) ? 0 : createdAfter[name];
  if (after === undefined) throw new TypeError(`Unknown item or answer: ${name}`);
  return time.now() + after;
}

/** Returns an answer with one page. The text `page` names the page's items, and fields such as `total=3`. */
function answerOf(
  page: string,
  sent: { readonly customer: string; readonly plate: string },
): Behaviour {
  const words = page.split(" ").filter((word) => word !== "empty");
  const found = words
    .filter((word) => !word.includes("="))
    .map((name) => ({
      ...(name === "unnamed" ? {} : { number: `${sent.customer}-${name}` }),
      customer: sent.customer,
      plate: name === "own" ? sent.plate : "XXX9999",
      createdAt: new Date(creationTimeOf(name)).toISOString(),
    }));
  const fields = words
    .filter((word) => word.includes("="))
    .map((word) => word.split("="))
    .map(([name = "", value = ""]) => [name, /^\d+$/.test(value) ? Number(value) : value]);
  return json(200, { found, ...Object.fromEntries(fields) });
}

/** Advances the time to the next query, and lets the gateway send the query. */
async function query(afterMs: number): Promise<void> {
  asked = [];
  time.forward(afterMs);
  await time.tick();
}

/** Returns the positions of the requested pages. */
function positions(): string {
  return asked
    .map(({ pathname, searchParams }) => {
      if (pathname.includes("/by-reference/")) return "reference";
      return searchParams.get("place") ?? "first";
    })
    .join(" ");
}

async function stateOf(address: string): Promise<unknown> {
  return Object(await (await gateway.ask(address)).json()).state;
}

/** Returns the rows of a table that is written as text, with a `|` between two columns. */
function rowsOf<const Column extends string>(
  columns: readonly Column[],
  table: string,
): readonly Readonly<Record<Column, string>>[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const cells = line.split("|").map((cell) => cell.trim());
      if (cells.length !== columns.length) throw new TypeError(`Not a row: ${line}`);
      // Object.fromEntries returns an object whose keys TypeScript does not know.
      return Object.fromEntries(columns.map((name, at) => [name, cells[at]])) as Record<
        Column,
        string
      >;
    });
}

/** Returns the names of the items of a long page. */
function many(count: number): string {
  return Array.from({ length: count }, (_, index) => `I${index}`).join(" ");
}

it.each(
  // In the first row, the first page has the items A and B and the total 3, and the second page has the item `own`, which
  // is the submission. The gateway requests the pages at the positions 1 and 2.
  rowsOf(
    ["list", "paging", "pages", "state", "requested"],
    `
    has as many items as its total | start | A B total=3; B own total=3 | succeeded | 1 2
    ends with a page that repeats one item | start | A B; B own; own | succeeded | 1 2 3
    ends before its total | start | A own total=4; own total=4 | outcome_unknown | 1 2
    has changed between two pages | start | A own; B | outcome_unknown | 1 2
    has items without an identifier | start | A unnamed total=3; unnamed own total=3 | outcome_unknown | 1 2
    has an empty page after a full one | offset | A own; empty | outcome_unknown | 0 1
    has a page that is not answered | start | A own; lost | outcome_unknown | 1 2
    has one item on its only page | start | own; empty; own | succeeded | 1 2 1
    begins with two items of the same time | start | A A2 own older total=4 | succeeded | 1
    begins with older items of the same time, which show no order | start | older older2 total=3; older2 own total=3 | succeeded | 1 2
    reaches an item older than the submission | start | own older total=2 | succeeded | 1
    reaches an older item on a page that contradicts its request | start | own older place=2 size=7 | succeeded | 1
    reaches an item that may not be older than the submission | start | own recent total=3; recent older total=3 | succeeded | 1 2
    has an older item before a newer one | start | A older B oldest total=5; oldest own total=5 | succeeded | 1 4
    reaches an older item on a page with fewer items than requested and than the total | start | own older total=3; older total=3 | outcome_unknown | 1 2
    has a total of one page that states no size | start | A B total=2; B own total=2; own total=1 | succeeded | 1 2 3
    has a total of one page that had room for more items | start | A own total=2 size=100 | succeeded | 1
    has a total of one full page | start | A B total=2 size=2; B own total=2 size=2; own total=1 size=2 | succeeded | 1 2 3
    has a total of one page that states no size | page | A B total=2; own total=1; empty; A B total=2; own total=1 | succeeded | 1 2 3 1 2
    has a total of one page that had room for more items | page | A own total=2 size=100 | succeeded | 1
    ends with an empty page | page | A own; empty; A own | succeeded | 1 2 1
    ends before its total | page | own total=3; empty total=3 | outcome_unknown | 1 2
    has an item on two pages | page | A B; B own; empty; A B; B own | outcome_unknown | 1 2
    has a page that is not answered | page | own; lost | outcome_unknown | 1 2
    has another item when it is read again | page | own A; empty; own B | outcome_unknown | 1 2 1
    has one item more when it is read again | page | own A; empty; own A B | outcome_unknown | 1 2 1
    has one item less when it is read again | page | own A; empty; own | outcome_unknown | 1 2 1
    is not answered when it is read again | page | own A; empty; lost | outcome_unknown | 1 2 1
    has another item on its second page when it is read again | page | A; own; empty; A; B | outcome_unknown | 1 2 3 1 2
    reaches an item older than the submission | page | own older | succeeded | 1
    has five pages, which take nine requests | page | A; B; own; recent; empty; A; B; own; recent | succeeded | 1 2 3 4 5 1 2 3 4
    has six pages, which would take eleven requests | page | A; B; own; recent; C; empty; A; B; own; recent; C | outcome_unknown | 1 2 3 4 5 6 1 2 3 4
    has two pages | cursor | A next=c2; own; A | succeeded | first c2 first
    names the same cursor twice | cursor | A next=c2; own next=c2 | outcome_unknown | first c2
    has as many items as its total and no next page | cursor | A own total=2 | succeeded | first
    ends before its total | cursor | A own total=3 | outcome_unknown | first
    ends with a page that is not full | cursor | A own | succeeded | first
    ends with a full page that names no next page | cursor | ${many(99)} own | outcome_unknown | first
    ends with fewer items than the insurer's usual page size | unsized | ${many(119)} own | succeeded | first
  `,
  ),
)(
  "a list proves that the insurer executed a submission only if the list is complete: the list $list (paging: $paging, row %#)",
  async ({ paging, pages, state, requested }) => {
    const address = await submitInVain(paging, pages);
    await query(2 * SECOND);
    expect([await stateOf(address), positions()]).toEqual([state, requested]);
  },
);

it.each(
  rowsOf(
    ["query", "pages", "state", "requested"],
    `
    finds the submission | own | succeeded | reference
    gets no answer | lost | outcome_unknown | reference
    is refused | status 422; own older | succeeded | reference 1
    gets an answer that is not a list | not a list; own older | succeeded | reference 1
    finds nothing | empty; own older | succeeded | reference 1
    finds another application | A; own older | succeeded | reference 1
    finds two applications | own A; older oldest | outcome_unknown | reference 1
  `,
  ),
)(
  "the gateway searches the customer's list only if the insurer's answer to the query by reference is not the submission: the query $query",
  async ({ pages, state, requested }) => {
    const address = await submitInVain("referenced", pages);
    await query(2 * SECOND);
    expect([await stateOf(address), positions()]).toEqual([state, requested]);
    const { pathname, searchParams } = asked[0] ?? new URL(insurer.baseUrl);
    expect(`/submissions/${pathname.split("/").at(-1)}`).toBe(address);
    expect(searchParams.get("size")).toBe("1");
  },
);

it("a query that fails because of a fault in the adapter proves nothing, and the log omits the text of the fault", async () => {
  const address = await submitInVain("faulty", "own older");
  await query(2 * SECOND);
  const failures = gateway.log.filter((line) => line.includes("a reconciliation query failed"));
  expect(failures.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, submissionId: address.split("/").at(-1), failure: "RangeError" },
  ]);
  expect(failures.join()).not.toContain("a value");
  expect(await stateOf(address)).toBe("outcome_unknown");
});

it.each(
  rowsOf(
    ["list", "paging", "pages", "state"],
    `
    is empty | start | empty | failed
    is empty, and names a next page | cursor | empty total=0 next=c2 | failed
    repeats the requested position and size | start | empty place=1 size=100 | failed
    states a smaller page size | start | empty size=20 | failed
    begins at another item | start | empty place=2 | outcome_unknown
    states another page number | page0 | empty place=1 | outcome_unknown
    states a larger page size | start | empty size=1000 | outcome_unknown
    states a page size of 0 | start | empty size=0 | outcome_unknown
    is empty, and has a total of 1 | start | empty total=1 | outcome_unknown
    has older items | start | older oldest total=2 | failed
    has more items than its total | start | older oldest total=1 | outcome_unknown
    has a second page that begins at the requested item | start | older older2 place=1; older2 oldest place=2 | failed
    has a second page that begins at another item | start | older older2 place=1; older2 oldest place=3 | outcome_unknown
    has a second page with another number | page | older; empty place=3; older | outcome_unknown
    has the requested page number when read again | page | older; empty; older place=1 | failed
    has another page number when read again | page | older; empty; older place=2 | outcome_unknown
    is not a list | start | not a list | outcome_unknown
    has the field of its items twice | start | two lists | outcome_unknown
  `,
  ),
)(
  "a list proves that the insurer did not execute a submission only if each page agrees with its request: the list $list (paging: $paging, row %#)",
  async ({ paging, pages, state }) => {
    const address = await submitInVain(paging, pages);
    await query(2 * SECOND);
    await query(12 * MINUTE);
    expect(await stateOf(address)).toBe(state);
  },
);

it.each([
  ["lost", 1],
  ["status 503", 1],
  ["status 401", 1],
  ["status 422", 0],
  ["not a list", 0],
] as const)(
  "the gateway repeats a query after ten seconds only if the insurer did not answer the query: %s, %i requests",
  async (answer, requests) => {
    onTestFinished(async () => {
      // The insurer answers the next query, so the gateway uses the credentials again.
      answers = [];
      await query(10 * SECOND);
    });
    await submitInVain("start", answer);
    await query(2 * SECOND);
    await query(9 * SECOND);
    expect(asked).toEqual([]);
    await query(1 * SECOND);
    expect(asked).toHaveLength(requests);
  },
);

it.each([
  ["cursorTo50", "50"],
  ["cursor", "100"],
  ["cursorTo500", "100"],
])(
  "the gateway requests as many items per page as the insurer allows, up to 100: %s, %s items",
  async (paging, size) => {
    await submitInVain(paging, "empty");
    await query(2 * SECOND);
    expect(asked.map(({ searchParams }) => searchParams.get("size"))).toEqual([size]);
  },
);
