import { randomUUID } from "node:crypto";
import type { Endpoint } from "@insurance-gateway/core/contract";
import type { ProblemCode } from "@insurance-gateway/core/problems";
import {
  type CheckedInput,
  INTERNAL_ERROR_DETAIL,
  inputChecker,
  kindPolicies,
  parameterForms,
  Refusal,
} from "@insurance-gateway/core/runtime";
import { TransportError } from "@insurance-gateway/core/transport";
import { defaultAccount, type Tenant } from "../../configuration/account.ts";
import type { InstalledProvider } from "../../configuration/providers.ts";
import type { Upstream } from "../../insurers/insurer.ts";
import { isHeldBack } from "../../insurers/resilience/guard-insurer.ts";
import { readReference, referenceOf } from "../../reference/endpoint-reference.ts";

/**
 * The result of a verification: the account is usable or unusable, the gateway was too busy for a trial call, or the
 * provider has no endpoint for a trial call.
 */
type VerifiedState = "usable" | "unusable" | "busy" | "untriable";

/** The result of a trial call with an account's credentials. */
export interface Verification {
  readonly id: string;
  readonly segment: string;
  /** Null for the default account of a provider. */
  readonly tenant: Tenant | null;
  readonly state: VerifiedState;
  /** The name of the called endpoint; null if the provider has no endpoint for a trial call. */
  readonly endpoint: string | null;
  /** Duration of the trial call in milliseconds, including the fetch of a token; null without a trial call. */
  readonly latencyMs: number | null;
  /** The code of the failure, such as PROVIDER_AUTH_FAILED; null without a failure. */
  readonly code: ProblemCode | null;
  /** The fault and the remedy, in words. */
  readonly detail: string | null;
}

/** An account that a trial call can verify. */
export type VerifiableAccount = Pick<Verification, "id" | "segment" | "tenant">;

/** Arguments of `verifyAccounts`. */
export interface VerifyParts {
  readonly installed: readonly Pick<InstalledProvider, "folder" | "provider" | "segment">[];
  readonly accounts: readonly VerifiableAccount[];
  /** The connections to each insurer, by segment. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** Called after each trial call with the number of finished trial calls and the number of all accounts. */
  readonly progress?: (done: number, of: number) => void;
}

/** Maximum number of simultaneous trial calls. */
const MAX_TRIAL_CALLS = 8;

/** Returns the default account of each provider, which uses the provider's own credentials. */
export function defaultAccountsOf(
  installed: readonly Pick<InstalledProvider, "segment">[],
): readonly VerifiableAccount[] {
  return installed.map(({ segment }) => ({ id: defaultAccount, segment, tenant: null }));
}

/** Makes a trial call with each account, and returns the results in the order of the accounts. */
export async function verifyAccounts({
  accounts,
  installed,
  progress,
  upstreams,
}: VerifyParts): Promise<readonly Verification[]> {
  const trials = new Map(installed.map((one) => [one.segment, findTrialCall(one)]));
  const found: Verification[] = [];
  const left = accounts.entries();
  let done = 0;
  const work = async (): Promise<void> => {
    for (const [index, account] of left) {
      const { segment } = account;
      found[index] = await verifyOne(account, trials.get(segment), upstreams.get(segment));
      done += 1;
      progress?.(done, accounts.length);
    }
  };
  await Promise.all(Array.from({ length: MAX_TRIAL_CALLS }, work));
  return found;
}

async function verifyOne(
  { id, segment, tenant }: VerifiableAccount,
  trial: TrialCall | null | undefined,
  upstream: Upstream | undefined,
): Promise<Verification> {
  const untried = {
    id,
    segment,
    tenant,
    endpoint: null,
    latencyMs: null,
    code: null,
    detail: null,
  };
  if (trial === null || trial === undefined || upstream === undefined)
    return { ...untried, state: "untriable" };
  const begun = performance.now();
  const found = await resultOf(trial, upstream, id);
  const latencyMs = Math.round(performance.now() - begun);
  return { ...untried, endpoint: trial.name, latencyMs, ...found };
}

/**
 * Makes a trial call with one account. Returns a failure instead of throwing, so that the other accounts' results are
 * not lost.
 */
async function resultOf(
  { endpoint, input }: TrialCall,
  upstream: Upstream,
  account: string,
): Promise<Pick<Verification, "state"> & Partial<Pick<Verification, "code" | "detail">>> {
  try {
    const answer = await upstream.call(endpoint, {
      requestId: randomUUID(),
      traceHeaders: {},
      scenario: undefined,
      waited: () => {},
      account,
      input,
      callerGone: null,
      submissionId: null,
      once: { probe: true },
    });
    if (typeof answer.content !== "string") for await (const _ of answer.content);
    return { state: "usable" };
  } catch (error) {
    if (error instanceof Refusal)
      return { state: stateOf(error), code: error.code, detail: error.details.detail };
    if (!TransportError.isInstance(error))
      return { state: "unusable", code: "INTERNAL_ERROR", detail: INTERNAL_ERROR_DETAIL };
    const detail = "The insurer's document broke off.";
    return { state: "unusable", code: "PROVIDER_BAD_RESPONSE", detail };
  }
}

/** Returns the state of the account after the trial call was refused. */
function stateOf(refusal: Refusal): VerifiedState {
  // The gateway did not send the call, so the refusal proves nothing about the account.
  if (refusal.code === "OVERLOADED" || isHeldBack(refusal)) return "busy";
  // An insurer that rejects the example input has accepted the credentials. An overloaded insurer may not have checked
  // the credentials.
  const hasAcceptedCredentials =
    refusal.details.attempt === "answered" && refusal.code !== "PROVIDER_UNAVAILABLE";
  return hasAcceptedCredentials ? "usable" : "unusable";
}

/** A call that changes nothing and costs an insurer little. */
interface TrialCall {
  /** The endpoint's name in its provider. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly input: CheckedInput;
}

/** The kinds for trial calls, cheapest first. A submission is never tried. */
const TRIAL_KINDS: readonly Endpoint["kind"][] = ["lookup", "read", "search", "quote", "document"];

/**
 * Finds the cheapest call of a provider that changes nothing. The call needs no input, or uses the example in the
 * provider's published document.
 * @returns null if every endpoint changes data at the insurer, or needs input and has no example
 */
export function findTrialCall(
  installed: Pick<InstalledProvider, "folder" | "provider">,
): TrialCall | null {
  const document = readReference(installed);
  const candidates = Object.entries(installed.provider.endpoints)
    .filter(([, { kind }]) => !kindPolicies[kind].actsAtInsurer)
    .toSorted(([, one], [, other]) => trialCost(one) - trialCost(other));
  for (const [name, endpoint] of candidates) {
    const input = exampleInput(document, endpoint);
    if (input !== null) return { name, endpoint, input };
  }
  return null;
}

function trialCost(endpoint: Endpoint): number {
  const { body, kind, params, query } = endpoint;
  const needsInput = params !== undefined || query !== undefined || body !== undefined;
  // Documents are tried last, because a document may be large.
  if (kind === "document") return 2 * TRIAL_KINDS.length;
  return TRIAL_KINDS.indexOf(kind) + (needsInput ? TRIAL_KINDS.length : 0);
}

/** Returns the input of the endpoint's first example; null if the example is missing or incomplete. */
function exampleInput(document: unknown, endpoint: Endpoint): CheckedInput | null {
  const reference = referenceOf(document, endpoint);
  const texts = (
    place: "path" | "query" | "header",
    declared: Endpoint["query"],
  ): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.keys(declared === undefined ? {} : parameterForms(declared)).flatMap((name) => {
        const value = reference.exampleOf({ place, keys: [name] });
        return value === undefined ? [] : [[name, String(value)]];
      }),
    );
  const checked = inputChecker(endpoint)({
    params: texts("path", endpoint.params),
    search: new URLSearchParams({ ...texts("query", endpoint.query) }).toString(),
    headers: texts("header", endpoint.headers),
    body: reference.exampleOf({ place: "body", keys: [] }),
  });
  return checked.valid ? checked.value : null;
}
