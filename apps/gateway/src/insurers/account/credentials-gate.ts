import {
  type Endpoint,
  firstPosition,
  kindPolicies,
  type Provider,
  pagingOf,
  reconciliationInput,
  reconciliationValues,
} from "@insurance-gateway/core/contract";
import { Refusal } from "../../problems/refusal.ts";
import type { UpstreamCall } from "../attempt/attempt.ts";
import { credentialsAwaited } from "../outcomes/credentials-outcome.ts";
import type { RepeatedCall } from "../resilience/retry.ts";

/** What the gate of one account works with. */
export interface CredentialsGateParts {
  readonly provider: Provider;
  /** Milliseconds since some instant. */
  readonly now: () => number;
  /** Called when the insurer begins to refuse the credentials. */
  readonly refused: () => void;
  /** Called when the insurer takes the credentials again. */
  readonly recovered: () => void;
}

/** While the insurer refuses the same credentials, they are tried again at most once in this time, in milliseconds. */
const TRY_EVERY_MS = 10_000;

/** Stops submissions while the insurer refuses the credentials. It remembers a refusal through every change of settings. */
export interface CredentialsGate {
  /** Puts the gate before calls. */
  before(call: RepeatedCall): RepeatedCall;
  /** Other credentials are sent from now on: they are worth a trial at once. */
  credentialsReplaced(): void;
}

/**
 * Stops submissions to an insurer that has refused the gateway's credentials, until a read succeeds: a wrong credential
 * leaves one outcome unknown, not all of them. One read tries the credentials for all submissions that wait, and shows the
 * insurer the new ones where there are any.
 */
export function createCredentialsGate({
  now,
  provider,
  recovered,
  refused,
}: CredentialsGateParts): CredentialsGate {
  let refusedAt: number | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let trial: Promise<void> | null = null;
  const accepted = (begunAt: number): void => {
    // A call from before the refusal says nothing about the credentials now.
    if (refusedAt === null || begunAt < refusedAt) return;
    refusedAt = null;
    recovered();
  };
  const failed = (error: unknown, begunAt: number): void => {
    const { attempt, credentialsRefused, credentialsReplaced, credentialsSuspected } =
      error instanceof Refusal ? error.details : {};
    if (credentialsRefused === true) {
      const isNew = refusedAt === null;
      refusedAt = now();
      if (isNew) refused();
      // With other credentials, or after a first suspicion, it is worth a trial at once.
      const isWorthTrial = credentialsReplaced === true || (credentialsSuspected === true && isNew);
      triedAt = isWorthTrial ? Number.NEGATIVE_INFINITY : refusedAt;
    } else if (attempt === "answered") accepted(begunAt);
  };
  const observing =
    (call: RepeatedCall): RepeatedCall =>
    (endpoint, upstreamCall) => {
      const begunAt = now();
      return call(endpoint, upstreamCall).then(
        (answer) => {
          accepted(begunAt);
          return answer;
        },
        (error: unknown) => {
          failed(error, begunAt);
          throw error;
        },
      );
    };
  const tryRead = async (
    observe: RepeatedCall,
    endpoint: Endpoint,
    upstreamCall: UpstreamCall,
  ): Promise<void> => {
    try {
      const { content } = await observe(endpoint, upstreamCall);
      // A file has its room until it was read.
      if (typeof content !== "string") for await (const _ of content);
    } catch (error) {
      // It did not reach the insurer, so that the next trial need not wait.
      if (error instanceof Refusal && error.details.attempt === undefined)
        triedAt = Number.NEGATIVE_INFINITY;
    } finally {
      trial = null;
    }
  };
  const gated =
    (observe: RepeatedCall, waiting: RepeatedCall): RepeatedCall =>
    (endpoint, upstreamCall) =>
      refusedAt === null || !kindPolicies[endpoint.kind].actsAtInsurer
        ? observe(endpoint, upstreamCall)
        : waiting(endpoint, upstreamCall);
  const awaitingTrial =
    (observe: RepeatedCall): RepeatedCall =>
    async (endpoint, upstreamCall) => {
      if (trial === null) {
        if (now() - triedAt < TRY_EVERY_MS) throw credentialsAwaited();
        triedAt = now();
        const read = cheapestRead(provider, endpoint, upstreamCall);
        // Without a read, this submission is the trial.
        if (read === null) return observe(endpoint, upstreamCall);
        trial = tryRead(observe, read.endpoint, { ...upstreamCall, ...read.call });
      }
      await trial;
      const isLate = performance.now() > (upstreamCall.beginBy ?? Number.POSITIVE_INFINITY);
      if (refusedAt !== null || isLate) throw credentialsAwaited();
      return observe(endpoint, upstreamCall);
    };
  return {
    before(call) {
      const observe = observing(call);
      return gated(observe, awaitingTrial(observe));
    },
    credentialsReplaced() {
      triedAt = Number.NEGATIVE_INFINITY;
    },
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
  const common = { submissionId: null, scenario: undefined, once: { probe: false } };
  if (plain !== undefined)
    return {
      endpoint: plain,
      call: { ...common, input: { params: {}, query: {}, headers: {}, body: undefined } },
    };
  const search = endpoints[endpoint.reconcile?.endpoint ?? ""];
  if (search === undefined) return null;
  const first = { position: firstPosition(pagingOf(search)), size: 1 };
  const asked = reconciliationInput(search, reconciliationValues(endpoint, input), first);
  return { endpoint: search, call: { ...common, input: asked } };
}
