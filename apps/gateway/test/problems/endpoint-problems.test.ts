import { declared } from "@insurance-gateway/adapter";
import {
  defineProvider,
  document,
  type Endpoint,
  type FailureRow,
  type FilePart,
  lookup,
  none,
  type Provider,
  pdf,
  submission,
} from "@insurance-gateway/core/contract";
import { beforeTheRecord, type ProblemCode, problemCodes } from "@insurance-gateway/core/problems";
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
import { file, zodSchema } from "@insurance-gateway/core/schema";
import { TransportError } from "@insurance-gateway/core/transport";
import { providerA } from "@insurance-gateway/provider-a";
import { adapter as adapterA } from "@insurance-gateway/provider-a/adapter";
import { providerB } from "@insurance-gateway/provider-b";
import { adapter as adapterB } from "@insurance-gateway/provider-b/adapter";
import { providerC } from "@insurance-gateway/provider-c";
import { adapter as adapterC } from "@insurance-gateway/provider-c/adapter";
import { providerD } from "@insurance-gateway/provider-d";
import { adapter as adapterD } from "@insurance-gateway/provider-d/adapter";
import { providerE } from "@insurance-gateway/provider-e";
import { adapter as adapterE } from "@insurance-gateway/provider-e/adapter";
import { problemsOf } from "@insurance-gateway/reference";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { accountRemovedRefusal } from "../../src/accounts/tenants.ts";
import { requireAccepted } from "../../src/insurers/answers/answer-headers.ts";
import { negotiateMediaTypes } from "../../src/pipeline/negotiate.ts";
import { createValidate } from "../../src/routing/validate.ts";
import { storeUnavailableRefusal } from "../../src/store/unavailable.ts";
import { faultTable } from "../outcome-faults/fault-table.ts";

const note = zodSchema<string>(z.string());
const photo = zodSchema<FilePart>(file());

/** Endpoints that differ in every property that determines their problems. */
const variants = defineProvider({
  id: "variants",
  name: "Variants",
  lines: ["motor"],
  endpoints: {
    readPhoto: document<object>({
      provider: "variants",
      path: "/photo",
      files: [pdf, { mediaType: "image/png", extension: "png" }],
      notReady: 202,
    }),
    addNote: submission<{ body: string | FilePart; response: undefined }>({
      provider: "variants",
      path: "/notes",
      sameContent: "none",
      body: { media: { "text/plain": note, "image/png": photo } },
      response: { 204: none },
    }),
    endCover: submission<{ response: undefined }>({
      provider: "variants",
      method: "DELETE",
      path: "/cover",
      response: { 204: none },
      failures: [
        {
          status: 404,
          media: "application/json",
          at: "/code",
          is: ["C-4"],
          code: "RESOURCE_NOT_FOUND",
          outcome: "rejected",
          why: "x",
        },
      ],
    }),
    listPlain: lookup<{ response: string }>({
      provider: "variants",
      path: "/plain",
      response: { 200: { media: { "text/plain": note, "text/csv": note } } },
    }),
  },
});

interface Served {
  readonly provider: Provider;
  readonly adapter: { readonly name: string; readonly failures: readonly FailureRow[] };
}
const served: readonly Served[] = [
  { provider: providerA, adapter: adapterA },
  { provider: providerB, adapter: adapterB },
  { provider: providerC, adapter: adapterC },
  { provider: providerD, adapter: adapterD },
  { provider: providerD, adapter: declared },
  { provider: providerE, adapter: adapterE },
  { provider: variants, adapter: declared },
];

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
  const typed = (type: string): Record<string, string> => ({
    "content-type": type,
    "content-length": "9",
  });
  const files = types.some((type) => hasFiles(bodyFormatOf(type)));
  return [
    ...always.map((code) => new Refusal(code, { detail: "" })),
    ...thrown(() =>
      negotiateMediaTypes(
        endpoint,
        { ...(types[0] === undefined ? {} : typed(types[0])), accept: "x/y" },
        1,
      ),
    ),
    ...thrown(() => negotiateMediaTypes(endpoint, typed("x/y"), 1)),
    // A body that the gateway reads into memory has a maximum size.
    ...types.flatMap((type) =>
      negotiateMediaTypes(endpoint, typed(type), 1).body === null
        ? []
        : [new Refusal("PAYLOAD_TOO_LARGE", { detail: "" })],
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

const line = (code: string, { outcome, retry }: { outcome: string; retry: string }): string =>
  `${code} ${outcome} ${retry}`;

const endpoints = served.flatMap((one) =>
  Object.entries(one.provider.endpoints).map(
    ([name, endpoint]) => [name, one.adapter.name, endpoint, one] as const,
  ),
);

function listedFor(name: string, { adapter, provider }: Served): readonly string[] {
  const problems = problemsOf(provider, {
    failuresOf: ({ failures = [] }) => [
      ...failures,
      ...(provider.failures ?? []),
      ...adapter.failures,
    ],
    translates: adapter.name !== declared.name,
  })(name);
  return Object.entries(problems).flatMap(([code, meanings]) =>
    meanings.map((meaning) => line(code, meaning)),
  );
}

describe("the documented problems of an endpoint", () => {
  it.each(endpoints)(
    "the documented problems of an endpoint are exactly the problems that the gateway's rules produce: %s, adapter %s",
    (name, _, endpoint, one) => {
      const before = refusedRequests(endpoint);
      const made = [
        ...before,
        ...refusedCalls(endpoint, one),
        ...refusedSubmissions(endpoint, before),
      ].map((refusal) => line(refusal.code, refusal.facts));
      expect(listedFor(name, one).toSorted()).toEqual([...new Set(made)].toSorted());
    },
  );

  it.each(Object.entries(faultTable))(
    "the documented problems of endpoints include the answers to the fault %s",
    (_, { answer }) => {
      const declaredD = { provider: providerD, adapter: declared };
      const listed = {
        submission: listedFor("createApplication", declaredD),
        others: listedFor("searchApplications", declaredD),
      };
      for (const [kind, said] of Object.entries(answer)) {
        const [, problem] = /^\d+ ([A-Z_]+ \w+ \w+)$/.exec(said) ?? [];
        if (problem !== undefined)
          expect(listed[kind === "submission" ? "submission" : "others"], said).toContain(problem);
      }
    },
  );

  it("every unusual meaning of a problem code has a documented condition", () => {
    for (const [name, , , one] of endpoints) {
      const problems = problemsOf(one.provider, {
        failuresOf: () => one.adapter.failures,
        translates: false,
      })(name);
      for (const [code, meanings] of Object.entries(problems))
        for (const meaning of meanings) {
          const { outcome, retry } = problemCodes[code as ProblemCode];
          const isUsual = outcome === meaning.outcome && retry === meaning.retry;
          expect(meaning.when === undefined, `${name} ${line(code, meaning)}`).toBe(isUsual);
        }
    }
  });
});
