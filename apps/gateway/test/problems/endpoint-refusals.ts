import { declared } from "@insurance-gateway/adapter";
import type { Endpoint, FailureRow, Provider } from "@insurance-gateway/core/contract";
import { beforeTheRecord, type ProblemCode } from "@insurance-gateway/core/problems";
import {
  alreadyCreated,
  answerTypes,
  bodyFormatOf,
  bodyOf,
  carriedOutUnseen,
  contentStateUnknown,
  createsAtInsurer,
  credentialsMissing,
  documentNotReady,
  hasFiles,
  identifierOf,
  keyReused,
  keyStateUnknown,
  kindPolicies,
  notInRestoredStore,
  notTaken,
  oldCredentialsRefusal,
  openRefusal,
  otherAccount,
  Refusal,
  refusalBeforeActing,
  refusalOf,
  refusalOfAnswer,
  refusalOfBadAnswer,
  refusalOfFailure,
  refusalOfOwnFault,
  refusalOfUnsendable,
  runningRefusal,
  sameContentOf,
} from "@insurance-gateway/core/runtime";
import { TransportError } from "@insurance-gateway/core/transport";
import { accountRemovedRefusal } from "../../src/accounts/tenants.ts";
import { requireAccepted } from "../../src/insurers/answers/answer-headers.ts";
import { negotiateMediaTypes } from "../../src/pipeline/negotiate.ts";
import { createValidate } from "../../src/routing/validate.ts";
import { storeUnavailableRefusal } from "../../src/store/unavailable.ts";

/** A provider, and the adapter through which the gateway serves it. */
export interface Served {
  readonly provider: Provider;
  readonly adapter: { readonly name: string; readonly failures: readonly FailureRow[] };
}
/** Returns all refusals of an endpoint's requests that the gateway's rules can produce. */
export function refusalsOf(endpoint: Endpoint, served: Served): readonly Refusal[] {
  const before = refusedRequests(endpoint);
  return [...before, ...refusedCalls(endpoint, served), ...refusedSubmissions(endpoint, before)];
}

/** Returns the refusals of an endpoint's requests before the gateway calls the insurer. */
function refusedRequests(endpoint: Endpoint): readonly Refusal[] {
  const { kind } = endpoint;
  const body = bodyOf(endpoint);
  const types = Object.keys(body?.media ?? {});
  const always: readonly ProblemCode[] = [
    "UNAUTHENTICATED",
    "FORBIDDEN",
    "HEADERS_TOO_LARGE",
    "RATE_LIMITED",
    "AUTHENTICATION_UNAVAILABLE",
    "OVERLOADED",
    "INVALID_REQUEST",
    "INTERNAL_ERROR",
  ];
  const negotiated = (type: string | undefined, accept = "*/*") => {
    const typed = type === undefined ? {} : { "content-type": type, "content-length": "9" };
    return negotiateMediaTypes(endpoint, { ...typed, accept }, 1);
  };
  const files = types.some((type) => hasFiles(bodyFormatOf(type)));
  return [
    ...always.map((code) => new Refusal(code, { detail: "" })),
    ...thrown(() => negotiated(types[0], "x/y")),
    ...thrown(() => negotiated("x/y")),
    // A body that the gateway reads into memory has a maximum size.
    ...types.flatMap((type) =>
      negotiated(type).body === null ? [] : [new Refusal("PAYLOAD_TOO_LARGE", { detail: "" })],
    ),
    ...(types.length === 0
      ? [null]
      : types.filter((type) => !hasFiles(bodyFormatOf(type)))
    ).flatMap((mediaType) =>
      ["{", "{}"].flatMap((content) =>
        thrown(() =>
          createValidate(endpoint)({
            params: {},
            search: "nonsense=1",
            headers: {},
            body: { type: "bytes", bytes: new TextEncoder().encode(content) },
            jsonDepth: 9,
            mediaType,
          }),
        ),
      ),
    ),
    ...(kindPolicies[kind].actsAtInsurer || files ? [storeUnavailableRefusal()] : []),
  ];
}

function thrown(act: () => unknown): readonly Refusal[] {
  try {
    act();
    return [];
  } catch (error) {
    return [refusalOf(error)];
  }
}

/** Returns the refusals of an endpoint's requests after a call to the insurer has failed. */
function refusedCalls(endpoint: Endpoint, { adapter, provider }: Served): readonly Refusal[] {
  const acts = kindPolicies[endpoint.kind].actsAtInsurer;
  const rows = [...(endpoint.failures ?? []), ...(provider.failures ?? []), ...adapter.failures];
  const translates = adapter.name !== declared.name;
  const errors = (["resolve", "connect", "tls", "write", "wait", "body"] as const).flatMap(
    (phase) =>
      (["failed", "timeout", "cancelled", "too_large", "unreadable"] as const).flatMap((reason) =>
        [null, "EMFILE", "ETIMEDOUT"].map((detail) => new TransportError(phase, reason, detail)),
      ),
  );
  const stages = acts ? (["before", "acting", "after"] as const) : (["acting"] as const);
  const answers = [undefined, ...rows].flatMap((row) =>
    [400, 401, 403, 404, 407, 409, 422, 429, 500, 503].flatMap((status) =>
      stages.map((stage) =>
        refusalOfAnswer(endpoint, {
          status,
          row,
          stage,
          faults: [],
          isForeign: false,
          retryAfterSeconds: null,
        }),
      ),
    ),
  );
  const hasInput = [endpoint.params, endpoint.query, endpoint.headers, endpoint.body].some(Boolean);
  const insurerIds = acts && identifierOf(endpoint) !== undefined ? [null, "1"] : [null];
  return [
    ...errors.map((error) => refusalOfFailure(endpoint, error)),
    ...(acts
      ? [refusalBeforeActing(null), ...errors.map((error) => refusalBeforeActing(error))]
      : []),
    ...answers,
    ...insurerIds.map((insurerId) =>
      refusalOfBadAnswer(endpoint, { detail: "", received: 200, insurerId }),
    ),
    refusalOfOwnFault(endpoint, new Error("x")),
    credentialsMissing("refused"),
    credentialsMissing("unreachable"),
    oldCredentialsRefusal(),
    accountRemovedRefusal(),
    // The circuit breaker is open, or too many calls are in progress.
    new Refusal("PROVIDER_UNAVAILABLE", { detail: "" }),
    ...(acts
      ? []
      : [
          // The gateway has no memory for the answer.
          new Refusal("OVERLOADED", { detail: "", outcome: "unknown" }),
          ...thrown(() =>
            requireAccepted(answerTypes(endpoint).length > 1 ? ["x/y"] : null, "a/b"),
          ),
        ]),
    ...(endpoint.notReady !== undefined || (endpoint.kind === "document" && translates)
      ? [documentNotReady({ status: 202, headers: {} })]
      : []),
    ...(translates && hasInput ? [refusalOfUnsendable([])] : []),
  ];
}

/** Returns the refusals of an endpoint's requests because of stored submissions. */
function refusedSubmissions(endpoint: Endpoint, before: readonly Refusal[]): readonly Refusal[] {
  if (!kindPolicies[endpoint.kind].actsAtInsurer) return [];
  const facts = { endpoint, href: "/submissions/1", running: 0 };
  const isCompared = sameContentOf(endpoint) !== "none";
  const askers = isCompared
    ? (["same_key", "same_content", "other_key"] as const)
    : (["same_key"] as const);
  const unread = before.filter(
    ({ code }) => beforeTheRecord.includes(code) || code === "INTERNAL_ERROR",
  );
  return [
    ...(["in_flight", "outcome_unknown", "needs_review"] as const).flatMap((state) =>
      askers.map((asker) => openRefusal({ state, nextQueryAt: 1 }, asker, facts)),
    ),
    runningRefusal("same_key", facts),
    runningRefusal("same_content", facts),
    keyReused(),
    otherAccount("not_sent"),
    otherAccount("unknown"),
    notTaken("x"),
    carriedOutUnseen("x", { href: "", insurerId: null }),
    notInRestoredStore(),
    ...(createsAtInsurer(endpoint) ? [alreadyCreated(null)] : []),
    ...unread.map((refusal) => keyStateUnknown(refusal)),
    ...[refusalOf(new Error("x")), storeUnavailableRefusal()].map((refusal) =>
      contentStateUnknown(refusal, endpoint),
    ),
  ];
}
