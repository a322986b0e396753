import { expect, it, onTestFinished } from "vitest";
import { startListingGateway } from "./listing-gateway.ts";

/** Headers of an insurer's answer. */
type Headers = Readonly<Record<string, string | readonly string[]>>;

const cachedHeaders: readonly Headers[] = [
  { age: "120" },
  { age: ["3600", "3600"] },
  { age: "3600, 3600" },
  { age: "60;q=1" },
  { age: "-1" },
  { age: "0, 60" },
  { age: "" },
  { "cache-status": "edge; hit; ttl=30" },
  { "cache-status": ["edge; fwd=miss", '"origin shield";hit'] },
  { "x-cache": "HIT" },
  { "x-cache": "Hit from cloudfront" },
  { "x-cache": "MISS, HIT" },
  { "x-cache": "TCP_MEM_HIT from proxy (squid)" },
  { "x-cache-status": "STALE" },
  { "x-proxy-cache": "HIT" },
  { "cf-cache-status": "UPDATING" },
  { warning: '110 - "Response is Stale"' },
  { warning: ['199 - "Note"', '113 - "Heuristic Expiration"'] },
];

const insurerHeaders: readonly Headers[] = [
  {},
  { age: "0", "x-cache": "MISS" },
  { "cache-status": "hit; fwd=miss; hit=?0; key=hits" },
  { "x-cache": "MISS from white.example" },
  { "x-cache-status": "BYPASS", "x-proxy-cache": "EXPIRED", "cf-cache-status": "DYNAMIC" },
  { warning: '199 - "110 notes"' },
];

it("an empty search result does not prove a failed submission if the result's headers show a cached answer", async () => {
  const gateway = await startListingGateway();
  onTestFinished(() => gateway.stop());
  const { insurer } = gateway;
  const headersOf = new Map<string, Headers>();
  const usual = insurer.behaviour;
  insurer.behaviour = (response, arrival) => {
    const afm = new URL(arrival.url, insurer.baseUrl).searchParams.get("clientAfm") ?? "";
    for (const [name, value] of Object.entries(headersOf.get(afm) ?? {}))
      response.setHeader(name, value);
    usual(response, arrival);
  };
  const submissions: { readonly address: string; readonly headers: Headers }[] = [];
  for (const headers of [...cachedHeaders, ...insurerHeaders]) {
    const { address, body } = await gateway.submitInVain();
    headersOf.set(String(Reflect.get(Object(Reflect.get(body, "holder")), "afm")), headers);
    submissions.push({ address, headers });
  }
  const states = (): Promise<unknown> =>
    Promise.all(
      submissions.map(async ({ address, headers }) => [headers, await gateway.stateOf(address)]),
    );
  const pass = async (): Promise<void> => {
    for (let count = 0; count < 3; count++) await gateway.pass(20 * 60_000);
  };
  await pass();
  expect(await states()).toEqual([
    ...cachedHeaders.map((headers) => [headers, "outcome_unknown"]),
    ...insurerHeaders.map((headers) => [headers, "failed"]),
  ]);
  const queries = insurer.arrivals.filter(({ method }) => method === "GET");
  for (const { headers } of queries) expect(headers["cache-control"]).toBe("no-cache");
  headersOf.clear();
  for (let hours = 0; hours < 8; hours++) await pass();
  expect(await states()).toEqual(submissions.map(({ headers }) => [headers, "failed"]));
});
