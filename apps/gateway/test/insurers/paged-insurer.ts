import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Arrival, type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";

/** Package with a search for each paging style, and a submission that is reconciled with a search by page numbers. */
const PAGED_PACKAGE = `
import { defineProvider, search, submission } from "@insurance-gateway/core/contract";
import { afm, instant, loose, zodSchema, strict, text, zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-p";
const claim = loose({ claimId: text(), clientAfm: afm(), createdAt: instant() });
const list = zodSchema(z.array(zod(claim)));
const number = (least, most = Number.MAX_SAFE_INTEGER) =>
  z.exactOptional(z.int().check(z.minimum(least), z.maximum(most)));
const tenant = strict({ tenantId: text() });
const query = (shape) => strict({ clientAfm: afm(), ...shape });
const searches = {
  byStart: search({
    provider, path: "/start", query: query({ first: number(0), count: number(1, 50) }),
    page: loose({ claims: z.array(zod(claim)), from: z.int() }),
    paging: { style: "start", position: "first", from: 0, size: { name: "count", usual: 2, most: 50 }, items: "/claims", echo: "/from" },
  }),
  byOffset: search({
    provider, path: "/offset", query: query({ offset: number(0), count: number(1, 50) }), page: list,
    paging: { style: "offset", position: "offset", size: { name: "count", usual: 2, most: 50 }, items: "", total: { header: "x-total-count" } },
  }),
  byPage: search({
    provider, path: "/page", query: query({ page: number(0), size: number(1, 50) }),
    page: loose({ content: z.array(zod(claim)), totalElements: z.int() }),
    paging: { style: "page", position: "page", from: 0, size: { name: "size", usual: 2, most: 50 }, items: "/content", total: "/totalElements" },
  }),
  byCursor: search({
    provider, path: "/cursor", query: query({ cursor: z.exactOptional(text(2000)), count: number(1, 50) }),
    page: loose({ data: z.array(zod(claim)), meta: z.looseObject({ next: z.nullable(z.string()) }) }),
    paging: { style: "cursor", position: "cursor", size: { name: "count", usual: 2, most: 50 }, items: "/data", next: "/meta/next" },
  }),
  byLink: search({
    provider, path: "/link", query: query({ after: z.exactOptional(text(2000)) }), page: list,
    paging: { style: "link", position: "after", size: { usual: 2 }, items: "" },
  }),
  byBody: search({
    provider, method: "POST", path: "/body",
    body: strict({
      clientAfm: afm(),
      paging: z.exactOptional(z.strictObject({ number: number(1), size: number(1, 50) })),
    }),
    page: loose({ claims: z.array(zod(claim)) }),
    paging: { style: "page", position: "/paging/number", size: { name: "/paging/size", usual: 2, most: 50 }, items: "/claims" },
  }),
};
export const providerP = defineProvider({
  id: provider, name: "Provider P", lines: ["motor"],
  endpoints: {
    ...searches,
    listClaims: search({
      provider, path: "/{tenantId}/claims", params: tenant, query: query({ page: number(1), size: number(1, 100) }),
      page: loose({ claims: z.array(zod(claim)) }),
      paging: { style: "page", position: "page", size: { name: "size", usual: 20, most: 100 }, items: "/claims" },
    }),
    createClaim: submission({
      provider, path: "/{tenantId}/claims", params: tenant, body: strict({ clientAfm: afm() }),
      response: { 201: claim }, insurerId: "/claimId", idempotency: "reconcile", settleAfterMs: 60_000,
      creates: true,
      reconcile: {
        endpoint: "listClaims",
        parameters: { tenantId: { from: "/path/tenantId" }, clientAfm: { from: "/clientAfm" } },
        createdAt: "/createdAt",
      },
      same: ["/clientAfm"],
    }),
  },
});`;

/** A claim in the insurer's list. */
export interface Claim {
  readonly claimId: string;
  readonly clientAfm: string;
  readonly createdAt: string;
}

/** Insurer that lists claims in every paging style, and breaks the connection of every submission. */
interface PagedInsurer extends Insurer {
  /** The claims, in the order of the insurer's list. */
  claims: readonly Claim[];
  /** Called before the insurer answers with a page. */
  beforePage: (arrival: Arrival) => void;
}

async function startPagedInsurer(): Promise<PagedInsurer> {
  const insurer = await startInsurer((response, arrival) => {
    const { body, method, url } = arrival;
    const { pathname, searchParams } = new URL(url, "http://insurer");
    const [style = ""] = pathname.split("/").slice(-1);
    if (method === "POST" && style === "claims") return void response.destroy();
    paged.beforePage(arrival);
    const { number = 1, size = 1 } = Object(Object(JSON.parse(body || "{}")).paging);
    const asked = (name: string): number => Number(searchParams.get(name));
    const cut = (from: number, most: number): readonly Claim[] =>
      paged.claims.slice(from, from + most);
    const total = paged.claims.length;
    const after = asked("after");
    const cursor = Number((searchParams.get("cursor") ?? "c0").slice(1));
    const more = cursor + asked("count");
    // The insurer's internal address, which callers must not see.
    const next = `<http://internal.insurer.example/v7/link?clientAfm=${searchParams.get("clientAfm")}&after=${after + 2}>`;
    const answers: Record<string, () => [unknown, Record<string, string>?]> = {
      start: () => [{ claims: cut(asked("first"), asked("count")), from: asked("first") }],
      offset: () => [cut(asked("offset"), asked("count")), { "x-total-count": String(total) }],
      page: () => [
        { content: cut(asked("page") * asked("size"), asked("size")), totalElements: total },
      ],
      cursor: () => [
        { data: cut(cursor, asked("count")), meta: { next: more < total ? `c${more}` : null } },
      ],
      link: () => [
        cut(after, 2),
        after + 2 < total ? { link: `</v7/link>; rel="first", ${next}; rel="next"` } : {},
      ],
      body: () => [{ claims: cut((number - 1) * size, size) }],
      claims: () => [{ claims: cut((asked("page") - 1) * asked("size"), asked("size")) }],
    };
    const [content, headers] = answers[style]?.() ?? [{}];
    json(200, content, headers)(response, arrival);
  });
  const paged: PagedInsurer = Object.assign(insurer, { claims: [], beforePage: () => {} });
  return paged;
}

/** The customer of the insurer's claims. */
export const clientAfm = "123456789";

/** A gateway in front of the insurer, with a clock that only the test advances. */
export interface PagedSite {
  readonly gateway: GatewayInProcess;
  readonly insurer: PagedInsurer;
  readonly time: HeldTime;
  /** The endpoints of the package, by name. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** Returns new claims with consecutive numbers, from `C-1` by default. */
  claimsOf(count: number, begin?: number): readonly Claim[];
  /** Gives the insurer its usual behaviour and five claims, and drops the recorded requests. */
  reset(): void;
  stop(): Promise<void>;
}

/** Starts the insurer and the gateway. */
export async function startPagedSite(): Promise<PagedSite> {
  const time = holdTime();
  const insurer = await startPagedInsurer();
  const { behaviour } = insurer;
  const folder = makeGatewayFolder();
  const module = installPackage(folder, "provider-p", PAGED_PACKAGE);
  // The package that the test has written exports this name.
  const { providerP } = (await import(module)) as { readonly providerP: Provider };
  const provider = { ...insurerConfiguration("d", insurer.baseUrl), package: "provider-p" };
  const configuration = {
    providers: [{ ...provider, breaker: { failuresInRow: 10_000, minCalls: 10_000 } }],
    submissions: { queriesPerSecond: 1_000 },
  };
  const gateway = await startInProcess(configuration, {}, { folder, time });
  const claimsOf: PagedSite["claimsOf"] = (count, begin = 1) => {
    const createdAt = new Date(time.now()).toISOString();
    return Array.from({ length: count }, (_, index) => ({
      claimId: `C-${begin + index}`,
      clientAfm,
      createdAt,
    }));
  };
  return {
    gateway,
    insurer,
    time,
    endpoints: providerP.endpoints,
    claimsOf,
    reset() {
      insurer.behaviour = behaviour;
      insurer.claims = claimsOf(5);
      insurer.beforePage = () => {};
      insurer.arrivals.length = 0;
    },
    async stop() {
      await gateway.stop();
      await insurer.close();
    },
  };
}
