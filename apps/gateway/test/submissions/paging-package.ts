import type { Paging } from "@insurance-gateway/core/contract";
import { pagingBy } from "./model-insurer.ts";

/**
 * Returns a paging whose pages also state their size and, except with a cursor, their position. The total is in
 * `/total`.
 */
const declared = (paging: Paging, size: Partial<Paging["size"]> = {}): Paging => ({
  ...paging,
  ...(paging.style === "cursor" ? {} : { echo: "/place" }),
  size: { ...paging.size, echo: "/size", ...size },
  total: "/total",
});
const pagings = {
  start: declared(pagingBy("start 1")),
  offset: declared(pagingBy("offset")),
  page0: declared(pagingBy("page 0")),
  page: declared(pagingBy("page 1")),
  cursor: declared(pagingBy("cursor")),
  cursorTo50: declared(pagingBy("cursor"), { most: 50 }),
  cursorTo500: declared(pagingBy("cursor"), { most: 500 }),
  // The insurer decides the size of a page.
  unsized: { ...pagingBy("cursor"), size: { usual: 150 } },
  referenced: declared(pagingBy("start 1")),
  faulty: declared(pagingBy("start 1")),
};

/** Provider package that has an application and a search for each paging. */
export const PAGING_PACKAGE = `
import { defineProvider, search, submission } from "@insurance-gateway/core/contract";
import { loose, strict } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
const item = z.looseObject({ number: z.optional(z.string()), customer: z.string(), createdAt: z.string() });
const placeOf = ({ style }) => z.optional(style === "cursor" ? z.string() : z.int());
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: Object.fromEntries(Object.entries(${JSON.stringify(pagings)}).flatMap(([name, paging]) => [
    [name, submission({
      provider,
      path: "/" + name,
      body: strict({ customer: z.string(), plate: z.string() }),
      response: { 201: loose({ number: z.string() }) },
      insurerId: "/number",
      idempotency: "reconcile",
      reconcile: { endpoint: name + "Search", parameters: { customer: { from: "/customer" } }, createdAt: "/createdAt" },
      same: ["/customer", "/plate"],
      settleAfterMs: 1_000,
    })],
    [name + "Search", search({
      provider,
      path: "/" + name + "/search",
      query: strict({ customer: z.string(), place: placeOf(paging), ...(paging.size.name && { size: z.optional(z.int()) }) }),
      page: loose({ found: z.array(item) }),
      paging,
    })],
  ])),
});`;

/** Adapter that finds submissions to `referenced` by their reference, and fails in the search of `faulty`. */
export const PAGING_ADAPTER = `
import { declared } from "@insurance-gateway/adapter";
export const adapter = {
  ...declared,
  name: "m",
  findsByReference: ({ path }) => path.startsWith("/referenced"),
  call: (endpoint, input, send, context) => {
    if (endpoint.path === "/faulty/search") throw new RangeError("a value");
    if (endpoint.kind !== "search" || context.submissionId === null)
      return declared.call(endpoint, input, send, context);
    const place = "/by-reference/" + context.submissionId;
    const byReference = ({ path, ...request }) => send({ ...request, path: path.replace(/^[^?]*/, place) });
    return declared.call(endpoint, input, byReference, context);
  },
};`;
