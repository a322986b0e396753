import { expect } from "vitest";
import { createDays, daysAfter } from "../../src/accounts/usage/days.ts";
import type { Environment } from "../../src/configuration/load.ts";
import { openStore } from "../../src/store/open-store.ts";
import { applicationBody, createApplicationsInsurer } from "../harness/applications.ts";
import {
  account,
  BRANDS,
  CLAIM,
  keyIn,
  ONE,
  OTHER,
  SEARCH,
  startBrokers,
} from "../harness/brokers.ts";
import { type Behaviour, json } from "../harness/insurer.ts";

// Callers of several brokers use one gateway. The insurer's behaviour differs between accounts and changes during the
// test. Every answer of the insurer names the account of the request, and every request has an id.

/** The insurer's reaction to the requests of an account. */
type Mode = "answers" | "refuses credentials" | "loses answers" | "fails";

/** The caller of a request. */
interface Sender {
  readonly issuer: string;
  readonly subject: string;
  /**
   * Number of the tenant. Only tenants with a number below `WorldOptions.tenants` have accounts. The tenants of both
   * issuers have the same names.
   */
  readonly tenant: number;
}

/** A random step: a request of a caller, or a change of the insurer or of the time. */
export type Step =
  | ({ readonly does: "search" | "lookup" | "page" } & Sender)
  | ({ readonly does: "submit"; readonly key: number | null; readonly content: number } & Sender)
  | ({ readonly does: "status"; readonly of: number } & Sender)
  | { readonly does: "mode"; readonly account: number; readonly mode: Mode }
  | { readonly does: "time"; readonly seconds: number };

/** Options of a world, which is a gateway for random steps. */
export interface WorldOptions {
  /** Number of tenants of each issuer that have accounts to both providers: 1 to 5. */
  readonly tenants: number;
  /** Maximum of one caller's requests to a provider. */
  readonly callerLimit: number;
  /** The first account's daily quota of requests. Each further account's quota is one higher. */
  readonly quota: number;
  /** Environment variables of the gateway, such as DATABASE_URL. */
  readonly environment: Environment;
}

/** A gateway on which random steps run. The world checks that no account's data reaches another account. */
export interface World {
  /** Runs some steps at the same time. */
  run(some: readonly Step[]): Promise<void>;
  /**
   * Checks that each request at the insurer used the right account, and that no submission was sent twice. Returns the
   * accounts of the requests.
   */
  check(): readonly string[];
  /** The ids of the accounts at provider D. Lookups at provider A may be answered from memory. */
  readonly submitters: readonly string[];
  /** Compares each account's usage in the store with the requests that were sent. */
  checkUsage(): Promise<void>;
  stop(): Promise<void>;
}

/** The facts that the test knows about an account. */
interface KnownAccount {
  readonly id: string;
  readonly quota: number;
  readonly account: ReturnType<typeof createApplicationsInsurer>;
  mode: Mode;
  /** Number of requests that callers have sent for this account. */
  asked: number;
  /** Number of requests that the gateway certainly accepted. */
  taken: number;
  /** Number of requests whose answer does not prove that the gateway accepted the request. */
  unclear: number;
}

/** Starts a gateway on which random steps run. */
export async function startWorld({
  callerLimit,
  environment,
  quota,
  tenants,
}: WorldOptions): Promise<World> {
  const names = Array.from({ length: tenants }, (_, index) => `broker-${index}`);
  const list = [ONE, OTHER].flatMap((issuer, at) =>
    names.flatMap((name) =>
      ["a", "d"].map((letter) => {
        const id = `${name}-${at}-${letter}`;
        return { id, issuer, name, segment: `provider-${letter}` };
      }),
    ),
  );
  const ids = list.map(({ id }) => id);
  const known = new Map<string, KnownAccount>(
    ids.map((id, index) => [
      id,
      {
        id,
        quota: quota + index,
        account: createApplicationsInsurer(),
        mode: "answers",
        asked: 0,
        taken: 0,
        unclear: 0,
      },
    ]),
  );
  const accounts = list.map(({ id, issuer, name, segment }) =>
    account(id, name, { issuer, segment, quotas: { requestsPerDay: known.get(id)?.quota } }),
  );
  const brokers = await startBrokers({ claim: CLAIM, list: accounts }, insurerOf(known), {
    ids,
    environment,
    provider: {
      callerLimit: { requests: callerLimit, windowSeconds: 86_400 },
      retries: { firstWaitMs: 1, longestWaitMs: 1 },
    },
    more: { submissions: { queriesPerSecond: 1_000 } },
  });
  const place = { data: `${brokers.folder.path}/data`, databaseUrl: environment.DATABASE_URL };
  const days = createDays("Europe/Athens");
  const begun = days.dayOf(brokers.time.now());
  /** The account of each request and submission, by the id that the insurer receives. */
  const owners = new Map<string, string>();
  const addresses: string[] = [];
  const bodies = Array.from({ length: 21 }, () => applicationBody());
  const keysUsed = new Set<string>();
  const asked = new Map<string, number>();

  const accountOf = ({ issuer, tenant }: Sender, letter: string): KnownAccount | null =>
    known.get(`broker-${tenant}-${issuer === ONE ? 0 : 1}-${letter}`) ?? null;

  /** Sends a caller's request, and checks that the answer belongs to the caller's account. */
  async function observe(
    send: () => Promise<Response>,
    own: KnownAccount | null,
    caller: string,
  ): Promise<void> {
    asked.set(caller, (asked.get(caller) ?? 0) + 1);
    if (own !== null) own.asked += 1;
    const answer = await send();
    const { headers, status } = answer;
    const text = await answer.text();
    if (own === null) {
      same(status, 403, text);
      return;
    }
    owners.set(headers.get("x-request-id") ?? "", own.id);
    const body: unknown = JSON.parse(text);
    const { reconciliation } = Object(body);
    const address = headers.get("location") ?? Object(reconciliation).href;
    if (typeof address === "string" && status !== 409) {
      addresses.push(address);
      const id = address.split("/").at(-1) ?? "";
      same(owners.get(id) ?? own.id, own.id, "a submission's address of another account");
      owners.set(id, own.id);
    }
    const used = quotaUsed(headers, own);
    // The answer to a refused repetition, or to a call while the store is slow, does not report the quota.
    if (status !== 429) own[used === null ? "unclear" : "taken"] += 1;
    else if (used === null) holds((asked.get(caller) ?? 0) > callerLimit, text);
    else holds(used >= own.quota, text);
    const isStale = headers.get("cache-status") !== null;
    if (status >= 300 || isStale) return;
    same(Object(body).owner, own.id, text);
    for (const item of Object(body).items ?? []) same(item.owner, own.id, text);
  }

  async function request(step: Exclude<Step, { readonly does: "mode" | "time" }>): Promise<void> {
    const tenant = step.tenant === 10 ? ["broker-0"] : `broker-${step.tenant}`;
    const bearer = { issuer: step.issuer, subject: step.subject, tenant };
    const caller = (letter: string): string => JSON.stringify([bearer, letter]);
    switch (step.does) {
      case "lookup":
        return observe(() => brokers.ask(bearer, BRANDS), accountOf(step, "a"), caller("a"));
      case "search":
      case "page": {
        const path = step.does === "page" ? `${SEARCH}&start=2&limit=1` : SEARCH;
        return observe(() => brokers.ask(bearer, path), accountOf(step, "d"), caller("d"));
      }
      case "submit": {
        const key = step.key === null ? undefined : `key-${step.key}`;
        const send = (): Promise<Response> =>
          brokers.submit(bearer, bodies[step.content] ?? {}, key);
        return observe(send, accountOf(step, "d"), caller("d"));
      }
      case "status": {
        const address = addresses[step.of % Math.max(1, addresses.length)];
        if (address === undefined) return;
        const own = accountOf(step, "d");
        const answered = await brokers.ask(bearer, address);
        const { status } = answered;
        const text = await answered.text();
        if (own === null) {
          same(status, 403, text);
          return;
        }
        if (status !== 200) return;
        same(owners.get(address.split("/").at(-1) ?? ""), own.id, text);
        const { answer } = JSON.parse(text);
        if (answer?.status === 201) same(answer.body.owner, own.id, text);
      }
    }
  }

  return {
    submitters: list.filter(({ segment }) => segment === "provider-d").map(({ id }) => id),
    async run(some) {
      await Promise.all(
        some.map(async (step) => {
          if (step.does === "mode") {
            const one = known.get(ids[step.account % ids.length] ?? "");
            if (one !== undefined) one.mode = step.mode;
          } else if (step.does === "time") brokers.time.forward(step.seconds * 1_000);
          else await request(step);
        }),
      );
      if (some.some(({ does }) => does === "time")) await brokers.time.tick();
    },
    check() {
      const arrivals = brokers.insurer.arrivals.splice(0);
      for (const arrival of arrivals) {
        const id = String(arrival.headers["x-request-id"]);
        same(keyIn(arrival), owners.get(id), `${arrival.method} ${arrival.url}`);
        if (arrival.method !== "POST") continue;
        const submission = String(arrival.headers["idempotency-key"]);
        holds(!keysUsed.has(submission), "a submission was sent twice");
        keysUsed.add(submission);
      }
      return arrivals.map(keyIn);
    },
    async checkUsage() {
      // The next tick writes the counts to the store.
      await brokers.time.tick();
      const counted = new Map(ids.map((id) => [id, { calls: 0, succeeded: 0 }]));
      const last = days.dayOf(brokers.time.now());
      const store = await openStore(place, "beside");
      for (let day = begun; day <= last; day = daysAfter(day, 1))
        for (const { calls, account: id, succeeded } of await store.usageOn(day, null)) {
          const one = counted.get(id);
          if (one === undefined) throw new Error(`Usage of an unknown account: ${id}`);
          one.calls += calls;
          one.succeeded += succeeded;
        }
      await store.close();
      for (const { account, id, taken, unclear } of known.values()) {
        const calls = counted.get(id)?.calls;
        expect(calls, `calls of ${id}`).toBeGreaterThanOrEqual(taken);
        expect(calls, `calls of ${id}`).toBeLessThanOrEqual(taken + unclear);
        expect(counted.get(id)?.succeeded).toBeLessThanOrEqual(account.records.length);
      }
    },
    stop: () => brokers.stop(),
  };
}

// `same` and `holds` call vitest's slow comparisons only for failures.

function same(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) expect(actual, what).toBe(expected);
}

function holds(isSo: boolean, what: string): void {
  if (!isSo) expect.fail(what);
}

/**
 * Returns the number of requests that the account has used today, according to an answer's headers; null if the headers
 * do not report the number.
 */
function quotaUsed(headers: Headers, own: KnownAccount): number | null {
  const reported = `${headers.get("ratelimit-policy")} ${headers.get("ratelimit")}`;
  const [, quota, rest] =
    /"requests-per-day";q=(\d+).*"requests-per-day";r=(\d+)/.exec(reported) ?? [];
  if (quota === undefined) return null;
  same(Number(quota), own.quota, reported);
  const used = Number(quota) - Number(rest);
  holds(used <= own.asked, `${own.id} has asked ${own.asked} times, and used ${used}`);
  return used;
}

/** Returns an insurer that has separate applications for each account and names the account in every answer. */
function insurerOf(known: ReadonlyMap<string, KnownAccount>): Behaviour {
  return (response, arrival) => {
    const owner = known.get(keyIn(arrival));
    if (owner === undefined || owner.mode === "refuses credentials")
      return json(401, {})(response, arrival);
    if (owner.mode === "fails") return json(500, {})(response, arrival);
    const [path = "", query = ""] = arrival.url.split("?");
    const answer = path.includes("/brands")
      ? { status: 200, body: JSON.stringify({ items: [] }) }
      : owner.account.execute({ ...arrival, query });
    if (owner.mode === "loses answers") return void response.destroy();
    json(answer.status, named(JSON.parse(String(answer.body)), owner.id))(response, arrival);
  };
}

/**
 * Adds the account's name to an answer and to each item of the answer, because reconciliation may return an item as a
 * submission's answer.
 */
function named(body: { readonly items?: readonly object[] }, owner: string): object {
  const { items } = body;
  return { ...body, ...(items && { items: items.map((item) => ({ ...item, owner })) }), owner };
}
