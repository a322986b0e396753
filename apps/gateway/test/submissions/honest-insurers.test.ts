import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { GatewayInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { startWithProvider } from "./installed-provider.ts";

/** Provider package of an insurer that accepts applications and claims, and lists both by tax number. */
const PACKAGE = `
import { defineProvider, search, submission } from "@insurance-gateway/core/contract";
import { loose, strict } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
const item = loose({ number: z.string(), afm: z.string(), plate: z.string(), madeAt: z.string() });
const whole = z.optional(z.int());
const made = (path, endpoint) => submission({
  provider,
  path,
  body: strict({ afm: z.string(), plate: z.string() }),
  response: { 201: item },
  insurerId: "/number",
  idempotency: "reconcile",
  reconcile: { endpoint, parameters: { afm: { from: "/afm" } }, createdAt: "/madeAt" },
  same: ["/afm", "/plate"],
  settleAfterMs: 60_000,
});
const found = (path) => search({
  provider,
  path,
  query: strict({ afm: z.string(), start: whole, limit: whole }),
  item,
});
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    apply: made("/applications", "findApplications"),
    findApplications: found("/applications/search"),
    claim: made("/claims", "findClaims"),
    findClaims: found("/claims/search"),
  },
});`;

const MINUTE = 60_000;
const AFM = "123456789";
type Resource = "applications" | "claims";

/** Form of an item in the insurer's list. Default: the tax number as sent, and times in UTC. */
interface ItemFormat {
  readonly afm?: (afm: string) => string;
  readonly time?: (at: number) => string;
}

/** The insurer's records, newest first. The numbers of each resource begin with 1001. */
let items: Readonly<Record<Resource, { afm: string; listed: object }[]>>;
/** The insurer's reaction to the next submission. */
let does: "answers" | "loses" | "ignores";
let format: ItemFormat;
let insurer: Insurer;
let gateway: GatewayInProcess;
let time: HeldTime;

async function start(how: ItemFormat = {}, at: number = Date.now()): Promise<void> {
  items = { applications: [], claims: [] };
  does = "answers";
  format = how;
  time = holdTime();
  time.jump(at - Date.now());
  insurer = await startInsurer((response, arrival) => {
    const { pathname, searchParams } = new URL(arrival.url, "http://insurer");
    const list = items[pathname.includes("claims") ? "claims" : "applications"];
    if (arrival.method === "GET") {
      const found = list.filter(({ afm }) => afm === searchParams.get("afm"));
      const page = found.map(({ listed }) => listed);
      return json(200, { items: page, start: 1, limit: 20, total: page.length })(response, arrival);
    }
    const sent: { afm: string } = JSON.parse(arrival.body);
    if (does !== "ignores") list.unshift({ afm: sent.afm, listed: make(sent, list.length) });
    if (does === "answers") json(201, list[0]?.listed)(response, arrival);
    else response.destroy();
  });
  gateway = await startWithProvider(PACKAGE, insurer.baseUrl, { time });
}

function make(sent: { readonly afm: string }, count: number): object {
  const { afm = (text) => text, time: write = (at) => new Date(at).toISOString() } = format;
  return { ...sent, number: String(1_001 + count), afm: afm(sent.afm), madeAt: write(time.now()) };
}

afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

interface Sent {
  readonly resource: Resource;
  readonly plate: string;
  readonly key: string;
  readonly status: number;
  readonly number: unknown;
  readonly code: unknown;
}

async function submit(
  resource: Resource,
  plate: string,
  what: typeof does = "answers",
  key: string = randomUUID(),
): Promise<Sent> {
  does = what;
  const response = await gateway.ask(`/provider-m/${resource}`, {
    json: { afm: AFM, plate },
    headers: { "idempotency-key": key },
  });
  const { code, number } = Object(await response.json());
  return { resource, plate, key, status: response.status, number, code };
}

const again = ({ key, plate, resource }: Sent): Promise<Sent> =>
  submit(resource, plate, "answers", key);

async function found(resource: Resource, more = ""): Promise<readonly [number, unknown[]]> {
  const path = `/provider-m/${resource}/search?afm=${AFM}${more}`;
  const response = await gateway.ask(path);
  const { items: numbers = [] }: { items?: { number: string }[] } = Object(await response.json());
  return [response.status, numbers.map(({ number }) => number)];
}

/**
 * Advances the time to each planned query, until the queries can prove that the insurer did not execute a submission.
 */
async function settle(): Promise<void> {
  for (const wait of [2_000, 30_000, 2 * MINUTE, 10 * MINUTE]) {
    time.forward(wait);
    await time.tick();
  }
}

/** Returns the local time in Athens, without an offset. */
function athens(at: number): string {
  const options = { timeZone: "Europe/Athens", dateStyle: "short", timeStyle: "medium" } as const;
  return new Intl.DateTimeFormat("sv-SE", options).format(at).replace(" ", "T");
}

describe("insurers with unusual lists", () => {
  it.each<[string, ItemFormat, string]>([
    [
      "masks tax numbers",
      { afm: (afm) => afm.replace(/(?<=..)./g, (digit, at) => (at < 7 ? "*" : digit)) },
      "2027-11-29T12:00:00Z",
    ],
    ["writes Athens' time without an offset, in winter", { time: athens }, "2027-12-15T23:30:00Z"],
    ["writes Athens' time without an offset, in summer", { time: athens }, "2027-07-15T21:30:00Z"],
    [
      "writes Athens' time in the hour before the clocks go back",
      { time: athens },
      "2027-10-31T00:30:00Z",
    ],
    [
      "writes Athens' time in the hour after the clocks have gone back",
      { time: athens },
      "2027-10-31T01:30:00Z",
    ],
    ["uses the same numbers for applications and claims", {}, "2027-11-29T12:00:00Z"],
  ])(
    "the gateway returns every success and concludes every submission with a lost answer at an insurer that %s",
    async (_, how, at) => {
      await start(how, Date.parse(at));
      const sent = [
        await submit("applications", "IKY1001"),
        await submit("claims", "IKY1001"),
        await submit("claims", "IKY1002", "loses"),
        await submit("applications", "IKY1002", "loses"),
        await submit("applications", "IKY1003", "ignores"),
        await submit("claims", "IKY1003", "ignores"),
        await submit("applications", "IKY1004"),
      ];
      expect(sent.map(({ status }) => status)).toEqual([201, 201, 504, 504, 504, 504, 201]);
      expect(await found("applications")).toEqual([200, ["1003", "1002", "1001"]]);
      expect(await found("claims")).toEqual([200, ["1002", "1001"]]);
      await settle();
      const ends = await Promise.all(sent.map(again));
      expect(ends.map(({ code, number }) => number ?? code)).toEqual([
        "1001",
        "1001",
        "1002",
        "1002",
        "PROVIDER_REJECTED",
        "PROVIDER_REJECTED",
        "1003",
      ]);
    },
  );

  it("the gateway passes on a list with more records than the caller requested", async () => {
    await start();
    for (const plate of ["IKY1001", "IKY1002", "IKY1003"]) await submit("applications", plate);
    expect(await found("applications", "&limit=2")).toEqual([200, ["1003", "1002", "1001"]]);
  });
});
