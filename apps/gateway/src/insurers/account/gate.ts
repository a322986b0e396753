import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import {
  firstPosition,
  kindPolicies,
  pagingOf,
  reconciliationInput,
  reconciliationValues,
} from "@insurance-gateway/core/runtime";
import type { AccountCall, Call, Step, UpstreamCall } from "../call.ts";

/** Arguments of `gateSubmissions`. */
export interface GateParts {
  readonly provider: Provider;
  /** Returns milliseconds since an arbitrary instant. */
  readonly now: () => number;
}

/**
 * Stops submissions to an insurer that has refused the account's credentials, until a read succeeds. Otherwise, each
 * submission with wrong credentials could have an unknown outcome. The read uses new credentials if there are any.
 */
export function gateSubmissions({ now, provider }: GateParts): Step<AccountCall> {
  return (next) => {
    const pass: Call<AccountCall> = async (endpoint, call) => {
      const { beginBy = Number.POSITIVE_INFINITY, opened } = call;
      if (opened.gate.isClosed() && kindPolicies[endpoint.kind].actsAtInsurer) {
        const read = trialReadOf(provider, endpoint, call);
        const trial =
          read && (() => readWholeAnswer(pass, read.endpoint, { ...call, ...read.call }));
        await opened.gate.opened(trial, beginBy);
      }
      const begunAt = now();
      try {
        const answer = await next(endpoint, call);
        opened.gate.accepted(begunAt);
        return answer;
      } catch (error) {
        opened.gate.failed(error, begunAt);
        throw error;
      }
    };
    return pass;
  };
}

async function readWholeAnswer(
  ask: Call<AccountCall>,
  endpoint: Endpoint,
  call: AccountCall,
): Promise<void> {
  const { content } = await ask(endpoint, call);
  // The answer may be a file, whose memory is released only when the file has been read completely.
  if (typeof content !== "string") for await (const _ of content);
}

/**
 * Returns a lookup or read without parameters if the provider has one; otherwise the search that reconciles this
 * submission, limited to one item.
 */
function trialReadOf(
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
