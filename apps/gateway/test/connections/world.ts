import fc from "fast-check";
import { expect } from "vitest";
import type { Environment } from "../../src/configuration/load.ts";
import { applicationBody, createApplicationsInsurer } from "../harness/applications.ts";
import { type Behaviour, json } from "../harness/insurer.ts";
import {
  BRANDS,
  type Brokers,
  CLAIM,
  connection,
  keyIn,
  ONE,
  OTHER,
  startBrokers,
} from "./brokers.ts";

// Callers of several brokers use one gateway, whose insurer treats each connection in its own way, and a way that
// changes. Every answer of the insurer names the connection that it was for, and every request can be told by its id.

/** What the insurer does with the requests of a connection. */
type Mode = "answers" | "refuses credentials" | "loses answers" | "fails";

/** Who sends a request. */
interface Sender {
  readonly issuer: string;
  readonly subject: string;
  /** Some tenants have connections, at both issuers under the same names, and some have none. */
  readonly tenant: number;
}

/** What happens next. */
export type Step =
  | ({ readonly does: "search" | "lookup" | "page" } & Sender)
  | ({ readonly does: "submit"; readonly key: number | null; readonly content: number } & Sender)
  | ({ readonly does: "status"; readonly of: number } & Sender)
  | { readonly does: "mode"; readonly connection: number; readonly mode: Mode }
  | { readonly does: "time"; readonly seconds: number };

const sender = {
  issuer: fc.constantFrom(ONE, OTHER),
  subject: fc.constantFrom("platform", "portal"),
  tenant: fc.nat({ max: 10 }),
};

/** Steps, requests being the most of them. */
export const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ does: fc.constantFrom("search", "lookup", "page"), ...sender }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant("submit"),
      key: fc.option(fc.nat({ max: 40 })),
      content: fc.nat({ max: 20 }),
      ...sender,
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("status"), of: fc.nat(), ...sender }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("mode"),
      connection: fc.nat({ max: 19 }),
      mode: fc.constantFrom("answers", "answers", "refuses credentials", "loses answers", "fails"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant("time"), seconds: fc.integer({ min: 1, max: 90 }) }),
  },
) as fc.Arbitrary<Step>;

/** How a world is made. */
export interface WorldOptions {
  /** How many tenants of each issuer have connections to both providers: 1 to 5. */
  readonly tenants: number;
  /** How many requests one caller may send to a provider. */
  readonly callerLimit: number;
  readonly environment?: Environment;
}

/** A world in which steps are done, and in which nothing may cross connections. */
export interface World {
  /** Does some steps at once. */
  run(some: readonly Step[]): Promise<void>;
  /** Compares what the insurer saw with who asked; gives how many requests reached it. */
  check(): number;
  stop(): Promise<void>;
}

/** Starts one. */
export async function startWorld({
  callerLimit,
  environment = {},
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
  const modes = new Map<string, Mode>();
  const accounts = new Map(ids.map((id) => [id, createApplicationsInsurer()]));
  const brokers: Brokers = await startBrokers(
    {
      claim: CLAIM,
      list: list.map(({ id, issuer, name, segment }) => connection(id, name, { issuer, segment })),
    },
    insurerOf(modes, accounts),
    {
      ids,
      environment,
      provider: { callerLimit: { requests: callerLimit, windowSeconds: 86_400 } },
      more: { submissions: { queriesPerSecond: 1_000 } },
    },
  );
  /** Whose request is known by an id that the insurer sees: the request's, or a submission's. */
  const owners = new Map<string, string>();
  const addresses: string[] = [];
  const bodies = Array.from({ length: 21 }, () => applicationBody());
  const keysUsed = new Map<string, string>();
  const asked = new Map<string, number>();

  const connectionOf = ({ issuer, tenant }: Sender, letter: string): string | null =>
    tenant < tenants ? `broker-${tenant}-${issuer === ONE ? 0 : 1}-${letter}` : null;

  /** Sends a request of a caller, and compares the answer with the caller's own connection. */
  async function observe(
    send: () => Promise<Response>,
    own: string | null,
    caller: string,
  ): Promise<void> {
    asked.set(caller, (asked.get(caller) ?? 0) + 1);
    const response = await send();
    const text = await response.text();
    const requestId = response.headers.get("x-request-id") ?? "";
    if (own === null) {
      expect(response.status, text).toBe(403);
      return;
    }
    owners.set(requestId, own);
    const body: unknown = JSON.parse(text);
    const { reconciliation } = Object(body);
    const address = response.headers.get("location") ?? Object(reconciliation).href;
    if (typeof address === "string" && response.status !== 409) {
      addresses.push(address);
      const id = address.split("/").at(-1) ?? "";
      expect(owners.get(id) ?? own, "a submission's address was given to another connection").toBe(
        own,
      );
      owners.set(id, own);
    }
    if (response.status === 429) expect(asked.get(caller)).toBeGreaterThan(callerLimit);
    const isStale = response.headers.has("cache-status");
    if (!response.ok || isStale) return;
    expect(Object(body).owner, text).toBe(own);
    for (const item of Object(body).items ?? []) expect(item.owner).toBe(own);
  }

  async function request(step: Exclude<Step, { readonly does: "mode" | "time" }>): Promise<void> {
    const tenant = step.tenant === 10 ? ["broker-0"] : `broker-${step.tenant}`;
    const bearer = { issuer: step.issuer, subject: step.subject, tenant };
    const caller = (letter: string): string => JSON.stringify([bearer, letter]);
    switch (step.does) {
      case "lookup":
        return observe(() => brokers.ask(bearer, BRANDS), connectionOf(step, "a"), caller("a"));
      case "search":
      case "page": {
        const start = step.does === "page" ? "&start=2&limit=1" : "";
        const path = `/provider-d/applications/search?clientAfm=123456789${start}`;
        return observe(() => brokers.ask(bearer, path), connectionOf(step, "d"), caller("d"));
      }
      case "submit": {
        const key = step.key === null ? undefined : `key-${step.key}`;
        const send = (): Promise<Response> =>
          brokers.submit(bearer, bodies[step.content] ?? {}, key);
        return observe(send, connectionOf(step, "d"), caller("d"));
      }
      case "status": {
        const address = addresses[step.of % Math.max(1, addresses.length)];
        if (address === undefined) return;
        const own = connectionOf(step, "d");
        const response = await brokers.ask(bearer, address);
        const body: unknown = await response.json();
        if (own === null) {
          expect(response.status).toBe(403);
          return;
        }
        if (response.status !== 200) return;
        expect(owners.get(address.split("/").at(-1) ?? "")).toBe(own);
        const { answer } = Object(body);
        if (answer?.status === 201) expect(answer.body.owner).toBe(own);
      }
    }
  }

  return {
    async run(some) {
      await Promise.all(
        some.map(async (step) => {
          if (step.does === "mode") modes.set(ids[step.connection % ids.length] ?? "", step.mode);
          else if (step.does === "time") brokers.time.forward(step.seconds * 1_000);
          else await request(step);
        }),
      );
      if (some.some(({ does }) => does === "time")) await brokers.time.tick();
    },
    check() {
      const { arrivals } = brokers.insurer;
      for (const arrival of arrivals) {
        const id = String(arrival.headers["x-request-id"]);
        expect(keyIn(arrival), `${arrival.method} ${arrival.url}`).toBe(owners.get(id));
        if (arrival.method !== "POST") continue;
        const submission = String(arrival.headers["idempotency-key"]);
        expect(keysUsed.has(submission), "a submission was sent twice").toBe(false);
        keysUsed.set(submission, id);
      }
      return arrivals.splice(0).length;
    },
    stop: () => brokers.stop(),
  };
}

/** The insurer: each connection has an account of its own, and every answer names it. */
function insurerOf(
  modes: ReadonlyMap<string, Mode>,
  accounts: ReadonlyMap<string, ReturnType<typeof createApplicationsInsurer>>,
): Behaviour {
  return (response, arrival) => {
    const owner = keyIn(arrival);
    const account = accounts.get(owner);
    const mode = modes.get(owner) ?? "answers";
    if (account === undefined || mode === "refuses credentials")
      return json(401, {})(response, arrival);
    if (mode === "fails") return json(500, {})(response, arrival);
    const isLookup = arrival.url.includes("/brands");
    const [, query = ""] = arrival.url.split("?");
    const answer = isLookup
      ? { status: 200, body: JSON.stringify({ items: [] }) }
      : account.execute({ ...arrival, query });
    if (mode === "loses answers") return void response.destroy();
    json(answer.status, named(JSON.parse(String(answer.body)), owner))(response, arrival);
  };
}

/** An answer that names the connection that it is for, also in each item: one may become a submission's answer. */
function named(body: { readonly items?: readonly object[] }, owner: string): object {
  const { items } = body;
  return { ...body, ...(items && { items: items.map((item) => ({ ...item, owner })) }), owner };
}
