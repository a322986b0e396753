import { randomUUID } from "node:crypto";
import type { ProblemCode } from "@insurance-gateway/core/problems";
import { TransportError } from "@insurance-gateway/core/transport";
import { defaultAccount, type Tenant } from "../../configuration/account.ts";
import type { InstalledProvider } from "../../configuration/providers.ts";
import type { Upstream } from "../../insurers/insurer.ts";
import { isHeldBack } from "../../insurers/resilience/guard-insurer.ts";
import { INTERNAL_ERROR_DETAIL, Refusal } from "../../problems/refusal.ts";
import { findTrialCall, type TrialCall } from "./trial-call.ts";

/**
 * The result of a verification: the account can be used or cannot, the gateway was too busy to try it, or its provider has
 * no endpoint that can be tried.
 */
export type VerifiedState = "usable" | "unusable" | "busy" | "untriable";

/** The findings of a trial call with an account's own credentials; null for what it could not find out. */
export interface Verification {
  readonly id: string;
  readonly segment: string;
  /** Null for the default account of a provider. */
  readonly tenant: Tenant | null;
  readonly state: VerifiedState;
  /** The endpoint that was called; null where a provider has none that can be tried. */
  readonly endpoint: string | null;
  /** Whether the insurer answered. */
  readonly reachable: boolean | null;
  /** Whether the insurer took the credentials. */
  readonly authenticated: boolean | null;
  /** Whether the answer is as the provider's package declares it. */
  readonly fits: boolean | null;
  /** From the beginning of the call to the whole answer, in milliseconds; with the fetch of a token where one is due. */
  readonly latencyMs: number | null;
  /** The code of what went wrong; null for nothing. */
  readonly code: ProblemCode | null;
  /** What went wrong and what to do, in words. */
  readonly detail: string | null;
}

/** An account that can be verified. */
export type VerifiableAccount = Pick<Verification, "id" | "segment" | "tenant">;

/** What is verified, and with what. */
export interface VerifyParts {
  readonly installed: readonly Pick<InstalledProvider, "folder" | "provider" | "segment">[];
  readonly accounts: readonly VerifiableAccount[];
  /** The way to each insurer, by its segment. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** Called after each, with how many are done. */
  readonly progress?: (done: number, of: number) => void;
}

/** How many trial calls run at a time. */
const AT_ONCE = 8;

/** The default account of each provider, which uses the provider's own credentials. */
export function defaultAccountsOf(
  installed: readonly Pick<InstalledProvider, "segment">[],
): readonly VerifiableAccount[] {
  return installed.map(({ segment }) => ({ id: defaultAccount, segment, tenant: null }));
}

/** Makes a trial call with each account, and returns the findings in their order. */
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
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

async function verifyOne(
  { id, segment, tenant }: VerifiableAccount,
  trial: TrialCall | null | undefined,
  upstream: Upstream | undefined,
): Promise<Verification> {
  const names = { id, segment, tenant };
  if (trial === null || trial === undefined || upstream === undefined)
    return {
      ...names,
      state: "untriable",
      ...noFindings,
      endpoint: null,
      latencyMs: null,
      code: null,
      detail: null,
    };
  const begun = performance.now();
  const measured = (): { readonly endpoint: string; readonly latencyMs: number } => ({
    endpoint: trial.name,
    latencyMs: Math.round(performance.now() - begun),
  });
  try {
    const answer = await upstream.call(trial.endpoint, {
      requestId: randomUUID(),
      traceHeaders: {},
      scenario: undefined,
      waited: () => {},
      account: id,
      input: trial.input,
      callerGone: null,
      submissionId: null,
      once: { probe: true },
    });
    if (typeof answer.content !== "string") for await (const _ of answer.content);
    const good = { reachable: true, authenticated: true, fits: true, code: null, detail: null };
    return { ...names, state: "usable", ...good, ...measured() };
  } catch (error) {
    // The failure of one account must not hide the findings of the others.
    if (!(error instanceof Refusal))
      return { ...names, state: "unusable", ...measured(), ...brokenOff(error) };
    const { code, details } = error;
    const findings = findingsOf(error);
    return {
      ...names,
      state: stateOf(error, findings),
      ...findings,
      ...measured(),
      code,
      detail: details.detail,
    };
  }
}

type Findings = Pick<Verification, "reachable" | "authenticated" | "fits">;

const noFindings: Findings = { reachable: null, authenticated: null, fits: null };

/** The codes of calls that the insurer has not answered. */
const unanswered: readonly ProblemCode[] = ["PROVIDER_UNREACHABLE", "PROVIDER_TIMEOUT"];

/** The findings of a call whose document ended too early, or that failed because of an error in the gateway. */
function brokenOff(error: unknown): Findings & Pick<Verification, "code" | "detail"> {
  if (!TransportError.isInstance(error))
    return { ...noFindings, code: "INTERNAL_ERROR", detail: INTERNAL_ERROR_DETAIL };
  const detail = "The insurer's document did not come to its end.";
  return {
    reachable: true,
    authenticated: null,
    fits: null,
    code: "PROVIDER_BAD_RESPONSE",
    detail,
  };
}

/** The state after a refused call: a call that the gateway was too busy to send says nothing about the account. */
function stateOf(refusal: Refusal, { authenticated, fits, reachable }: Findings): VerifiedState {
  if (refusal.code === "OVERLOADED" || isHeldBack(refusal)) return "busy";
  return reachable === true && authenticated === true && fits !== false ? "usable" : "unusable";
}

/** The findings of a refused call. */
function findingsOf({ code, details }: Refusal): Findings {
  switch (details.attempt) {
    case "answered":
      // An insurer that refused the example, as it may, has looked at the credentials; one that is busy has perhaps not.
      return {
        reachable: true,
        authenticated: code === "PROVIDER_UNAVAILABLE" ? null : true,
        fits: null,
      };
    case "credentials_refused":
      return { reachable: true, authenticated: false, fits: null };
    case "unusable":
      return { reachable: true, authenticated: null, fits: false };
    case "failed":
      return { reachable: !unanswered.includes(code), authenticated: null, fits: null };
    default:
      return { ...noFindings, authenticated: code === "PROVIDER_AUTH_FAILED" ? false : null };
  }
}
