import { randomInt, randomUUID } from "node:crypto";
import { applicationBody } from "../harness/applications.ts";
import type { SteadyRequest } from "../rolling/steady-load.ts";

type Make = (token: string) => SteadyRequest;

const authorized = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
});
const get =
  (path: () => string): Make =>
  (token) => ({ method: "GET", path: path(), headers: authorized(token) });
const post =
  (path: string, body: () => unknown): Make =>
  (token) => ({
    method: "POST",
    path,
    headers: {
      ...authorized(token),
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    },
    body: JSON.stringify(body()),
  });

const afm = (): string => String(randomInt(100_000_000, 999_999_999));
const quote = { personDob: "1985-04-12", monthlyContribution: 100, durationYears: 20 };

/** The callers' requests, each with its share in percent. */
const mix: readonly (readonly [number, Make])[] = [
  [30, get(() => "/provider-a/auto/brands")],
  [15, get(() => `/provider-d/applications/search?clientAfm=${afm()}`)],
  [10, get(() => "/provider-c/application/ipid?applicationId=C-0001")],
  [10, post("/provider-e/life/core/fast-pension-quote", () => quote)],
  [20, post("/provider-d/applications", () => applicationBody())],
  // Requests that the gateway refuses must not use more and more memory either.
  [5, post("/provider-d/applications", () => ({ holder: { afm: "none" } }))],
  [4, get(() => `/no/such/route/${randomUUID()}`)],
  [3, get(() => `/submissions/${randomUUID()}`)],
  [3, (token) => get(() => "/provider-a/auto/brands")(`${token.slice(0, -9)}${randomUUID()}`)],
];

/** Returns the next request of a random caller. */
export function mixedRequest(tokens: readonly string[]): SteadyRequest {
  const token = tokens[randomInt(tokens.length)] ?? "";
  let number = randomInt(100);
  for (const [often, make] of mix) {
    number -= often;
    if (number < 0) return make(token);
  }
  throw new Error("The shares of the mix are less than a hundred");
}
