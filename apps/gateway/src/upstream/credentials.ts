import {
  type Endpoint,
  kindPolicies,
  type Provider,
  valueAt,
} from "@insurance-gateway/core/contract";
import { Refusal } from "../problems/refusal.ts";
import type { UpstreamCall } from "./attempt.ts";
import { credentialsAwaited } from "./outcome.ts";
import type { RepeatedCall } from "./repeated-call.ts";

/** What the gate works with. */
export interface CredentialsGateParts {
  readonly provider: Provider;
  /** Milliseconds since some instant. */
  readonly now: () => number;
  /** Called when the insurer takes the credentials again. */
  readonly recovered: () => void;
}

/** While the insurer refuses the credentials, they are tried again at most once in this time, in milliseconds. */
const TRY_EVERY_MS = 10_000;

/**
 * Stops submissions to an insurer that has refused the gateway's credentials, until a read succeeds: a wrong credential
 * leaves one outcome unknown, not all of them.
 */
export function stoppingSubmissions(
  call: RepeatedCall,
  { now, provider, recovered }: CredentialsGateParts,
): RepeatedCall {
  let refusedAt: number | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  const note = (refused: boolean): void => {
    const wasRefused = refusedAt !== null;
    refusedAt = refused ? now() : null;
    if (refused) triedAt = now();
    else if (wasRefused) recovered();
  };
  const observe: RepeatedCall = async (endpoint, upstreamCall) => {
    try {
      const answer = await call(endpoint, upstreamCall);
      if (refusedAt !== null) note(false);
      return answer;
    } catch (error) {
      if (error instanceof Refusal && error.details.credentialsRefused === true) note(true);
      throw error;
    }
  };
  const tryRead = async (endpoint: Endpoint, upstreamCall: UpstreamCall): Promise<void> => {
    if (now() - triedAt < TRY_EVERY_MS) return;
    triedAt = now();
    const read = cheapestRead(provider, endpoint, upstreamCall);
    // Without a read, one submission tries.
    if (read === null) refusedAt = null;
    else await observe(read.endpoint, { ...upstreamCall, ...read.call }).catch(() => undefined);
  };
  return async (endpoint, upstreamCall) => {
    if (refusedAt !== null && kindPolicies[endpoint.kind].actsAtInsurer) {
      await tryRead(endpoint, upstreamCall);
      if (refusedAt !== null) throw credentialsAwaited();
    }
    return observe(endpoint, upstreamCall);
  };
}

/** A read that needs no parameter; otherwise the search that reconciles this submission, for one item. */
function cheapestRead(
  { endpoints }: Provider,
  endpoint: Endpoint,
  { input }: UpstreamCall,
): { readonly endpoint: Endpoint; readonly call: Partial<UpstreamCall> } | null {
  const all = Object.values(endpoints);
  const plain = all.find(
    ({ kind, params, query }) =>
      (kind === "lookup" || kind === "read") && params === undefined && query === undefined,
  );
  const once = { submissionId: null, reconciles: { probe: false } };
  if (plain !== undefined)
    return {
      endpoint: plain,
      call: { ...once, input: { params: {}, query: {}, body: undefined } },
    };
  const { reconcile } = endpoint;
  const search = endpoints[reconcile?.endpoint ?? ""];
  if (reconcile === undefined || search === undefined) return null;
  const parameters = Object.entries(reconcile.parameters).map(([name, { from }]) => [
    name,
    valueAt(input.body, from),
  ]);
  const query = { ...Object.fromEntries(parameters), start: 1, limit: 1 };
  return { endpoint: search, call: { ...once, input: { params: {}, query, body: undefined } } };
}
