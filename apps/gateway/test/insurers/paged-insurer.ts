import { type Arrival, type Insurer, json, startInsurer } from "../harness/insurer.ts";

/** Package with a search of every paging style, and a submission whose search is paged by number. */
export const PAGED_PACKAGE = `
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

/** Insurer that lists claims in every paging style; it breaks off the connection of every submission. */
export interface PagedInsurer extends Insurer {
  /** The claims, in the order of the list. */
  claims: readonly Claim[];
  /** Called before the insurer answers with a page. */
  beforePage: (arrival: Arrival) => void;
}

/** Starts the insurer. */
export async function startPagedInsurer(): Promise<PagedInsurer> {
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
