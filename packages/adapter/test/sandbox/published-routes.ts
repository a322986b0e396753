import {
  defineProvider,
  type Endpoint,
  type Read,
  read,
  type Schema,
} from "@insurance-gateway/core/contract";
import { digits, list, loose, strict, string } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import type { PublishedCall } from "../../src/index.ts";
import {
  type DialectAnswer,
  publishedInsurer,
  type RawAnswer,
  type RawRequest,
  rawRequestOf,
  type SandboxRoute,
} from "../../src/sandbox/index.ts";

/** The ID of the provider whose routes the tests call. */
export const provider = "provider-p";
const clock = (): Date => new Date(0);

/** Returns the routes of a simulated insurer with the given endpoints. */
export function routesOf(
  endpoints: Readonly<Record<string, Endpoint>>,
  calls: Readonly<Record<string, PublishedCall>> = {},
): readonly SandboxRoute[] {
  const declared = defineProvider({ id: provider, name: "P", lines: ["motor"], endpoints });
  return publishedInsurer(declared, calls).routes;
}

/** Returns the only route of a simulated insurer with one endpoint. */
export function routeOf(declared: Endpoint, call: PublishedCall = {}): SandboxRoute {
  const [route, ...others] = routesOf({ declared }, { declared: call });
  if (route === undefined || others.length > 0) throw new TypeError("There is not one route");
  return route;
}

/** The parts of a request. An omitted part is empty. */
export interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

function requestOf({ body = "", headers = {}, params = {}, search = "" }: Sent): RawRequest {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return rawRequestOf({ method: "POST", path: "/own/path", params, headers, bytes, search });
}

/** Reads a request by a route. */
export function readBy(route: SandboxRoute, sent: Sent): ReturnType<SandboxRoute["read"]> {
  return route.read(requestOf(sent), clock, []);
}

/** Writes an answer by a route. */
export function writtenBy(route: SandboxRoute, answer: DialectAnswer, sent: Sent = {}): RawAnswer {
  return route.write(answer, requestOf(sent));
}

interface ClaimQuery {
  readonly ids?: string[];
  readonly tags?: string[];
  readonly words?: string[];
  readonly period?: { from: string; to?: string };
  readonly area?: { city: string; code: string };
  readonly filter?: { a: string; b?: string };
  readonly plain?: string;
}
interface ClaimHeaders {
  readonly "x-agent"?: string;
  readonly "x-session"?: string;
  readonly "x-plain"?: string;
}
/** A claim in an insurer's answer. */
export interface Claim {
  readonly claimId: string;
  readonly serial?: string;
}
/** The schema of a list of at least one text. */
export const texts: z.ZodMiniType<string[], string[]> = list(string(), { minItems: 1 });
/** The schema of a claim. */
export const claim: Schema<Claim> = loose<Claim>({
  claimId: string(),
  serial: z.exactOptional(digits()),
});
const claimPath = strict<{ claimId: string }>({ claimId: string() });

/** An endpoint with parameters of every kind and style. */
export const readClaim: Read<{
  params: { claimId: string };
  query: ClaimQuery;
  headers: ClaimHeaders;
  response: Claim;
}> = read({
  provider,
  path: "/claims/{claimId}",
  params: claimPath,
  query: strict<ClaimQuery>({
    ids: z.exactOptional(texts),
    tags: z.exactOptional(texts),
    words: z.exactOptional(texts),
    period: z.exactOptional(z.strictObject({ from: string(), to: z.exactOptional(string()) })),
    area: z.exactOptional(z.strictObject({ city: string(), code: digits() })),
    filter: z.exactOptional(z.strictObject({ a: string(), b: z.exactOptional(string()) })),
    plain: z.exactOptional(string()),
  }),
  headers: strict<ClaimHeaders>({
    "x-agent": z.exactOptional(string()),
    "x-session": z.exactOptional(string()),
    "x-plain": z.exactOptional(string()),
  }),
  response: { 200: claim },
});
