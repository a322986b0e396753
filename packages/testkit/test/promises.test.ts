import {
  type Adapter,
  type JsonCall,
  type JsonDialect,
  jsonDialect,
  plainText,
} from "@insurance-gateway/adapter";
import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import { type ConformanceSubject, conformanceFaults } from "../src/index.ts";
import {
  calls,
  createPolicy,
  dialectOf,
  type Endpoints,
  failures,
  type Issued,
  issuedRows,
  login,
  type Policy,
  provider,
  reconcile,
} from "./promising-provider.ts";
import { dialect, sandbox } from "./promising-sandbox.ts";

const policy: Policy = { plate: "ΙΚΥ-1234", holder: "Ελένη", make: "TOY", from: "2026-12-01" };
const at = "2026-11-21T08:00:00Z";
const one: Issued = { ...policy, policyId: "M-9", status: "ISSUED", createdAt: at, changedAt: at };
const summary = "An example";

/** A provider whose behaviour matches its declarations. */
const subject: ConformanceSubject = {
  id: "provider-m",
  provider,
  adapter: jsonDialect(provider, dialectOf),
  sandbox,
  examples: {
    createPolicy: { one: { summary, request: { body: policy }, response: one } },
    findPolicies: {
      one: {
        summary,
        request: { query: { holder: "Ελένη" } },
        response: { items: [one], start: 1, limit: 20, total: 1 },
      },
    },
    terms: { one: { summary, request: { query: { id: "1" } } } },
  },
};

/** Returns the provider with another declaration of its submission. */
function declaring(change: Partial<Endpoint>): Partial<ConformanceSubject> {
  const changed = { ...createPolicy, ...change };
  const other = { ...provider, endpoints: { ...provider.endpoints, createPolicy: changed } };
  return { provider: other, sandbox: { ...sandbox, provider: { ...sandbox.provider, ...other } } };
}

/** Returns the provider with another adapter. */
function speaking(change: Partial<JsonDialect<Provider<Endpoints>>>): Partial<ConformanceSubject> {
  return { adapter: jsonDialect(provider, { ...dialectOf, ...change }) };
}

/** Returns the provider with another translation of one call. */
function calling(name: keyof Endpoints, change: Partial<JsonCall>): Partial<ConformanceSubject> {
  return speaking({ calls: { ...calls, [name]: { ...calls[name], ...change } } });
}

/** Returns the provider with an adapter that sends different requests. */
function sending(call: (inner: Adapter) => Adapter["call"]): Partial<ConformanceSubject> {
  const inner = jsonDialect(provider, dialectOf);
  return { adapter: { ...inner, call: call(inner) } };
}

const [limit, invalid, unknown] = failures;
const { same = [] } = createPolicy;
const zeros = /^0+(?=\d)/;
const writtenAsNumber = {
  ...plainText,
  write: (ours: unknown) => String(ours).replace(zeros, ""),
};
const readAsNumber = { ...plainText, read: (theirs: unknown) => String(theirs).replace(zeros, "") };

describe("the conformance check of a provider's behaviour", () => {
  it("the conformance check finds no fault in a provider whose behaviour matches the declarations", async () => {
    expect(await conformanceFaults(subject)).toEqual([]);
  });

  it.each<[string, Partial<ConformanceSubject>, ...RegExp[]]>([
    [
      "an acting request that is marked with `acts: false`, and a search that is marked as acting",
      sending((inner) => (endpoint, input, send, context) => {
        const acts = endpoint.kind === "search";
        return inner.call(endpoint, input, (request) => send({ ...request, acts }), context);
      }),
      /^createPolicy: its adapter marks the request that the insurer carries out with `acts: false`/,
      /^findPolicies: its adapter marks a request as acting/,
    ],
    [
      "a submission that the adapter sends twice",
      sending((inner) => (endpoint, input, send, context) => {
        const twice: typeof send = async (request) => {
          if (request.method === "POST") await send({ ...request, acts: false });
          return send(request);
        };
        return inner.call(endpoint, input, twice, context);
      }),
      /^createPolicy: its adapter sends the submission 2 times/,
    ],
    [
      "a wrong value for the reconciliation search",
      declaring({ reconcile: { ...reconcile, parameters: { holder: { from: "/make" } } } }),
      /^createPolicy: its reconciliation findPolicies, a day after an answer was lost, finds no item of the submission with \{"holder":"TOY"\}$/,
    ],
    [
      "the time of the last change as the creation time and as the insurer's identifier",
      declaring({
        reconcile: { ...reconcile, createdAt: "/changedAt" },
        insurerId: "/changedAt",
      }),
      /finds "2026-11-22T10:00:00.000Z" at \/changedAt, and it was created at 2026-11-21T08:00:00.000Z$/,
      /^createPolicy: two submissions get the same identifier "2026-11-21T08:00:00.000Z"/,
      /^createPolicy: its `insurerId` \/changedAt is a word, a time or a flag/,
    ],
    [
      "reconciliation settings that contradict the schemas",
      declaring({
        insurerId: "/holder",
        closedWhen: { at: "/status", is: ["REFUSED"] },
        settleAfterMs: 0,
        same: same.slice(1),
      }),
      /^createPolicy: its `insurerId` \/holder is also in its body/,
      /^createPolicy: its `closedWhen` has REFUSED, and \/status is one of ISSUED, DECLINED$/,
      /`settleAfterMs` must be a whole number of milliseconds, more than 0$/,
      /^createPolicy: its body and its answer have the plate \/plate, which `same` does not compare/,
    ],
    [
      "`closedWhen` values that no answer has, and a compared plate without a normaliser",
      declaring({
        closedWhen: { at: "/make", is: ["TOY", "BMW"] },
        same: ["/plate", ...same.slice(1)],
      }),
      /^createPolicy: its `closedWhen` has BMW, and no example or scenario answers it at \/make, or write in `unproven`/,
      /^createPolicy: the plate \/plate in `same` needs a normaliser/,
    ],
    [
      "`closedWhen` for a field that no answer has",
      declaring({ closedWhen: { at: "/state", is: ["DECLINED"] } }),
      /^createPolicy: its answer has no \/state, which `closedWhen` names$/,
    ],
    [
      "`native` idempotency, but an adapter that does not send the gateway's reference",
      {
        ...declaring({ idempotency: "native" }),
        ...calling("createPolicy", { body: calls.createPolicy.body?.slice(0, 1) ?? [] }),
      },
      /^createPolicy: its adapter does not send the reference of the submission/,
    ],
    [
      "`native` idempotency, but an insurer that acts twice",
      declaring({ idempotency: "native" }),
      /^createPolicy: its insurer carries it out twice for the same reference/,
    ],
    [
      "a search that finds nothing by the gateway's reference, and lost leading zeros",
      calling("findPolicies", {
        byReference: { path: "/api/references/{/query/holder}", item: issuedRows },
        query: [...(calls.findPolicies.query ?? []), ["/query/holder", "/name", writtenAsNumber]],
      }),
      /^createPolicy: findPolicies by the gateway's reference finds \[\], not "M-1"$/,
      /^findPolicies: its request arrives with "[^"]*" at \/query\/holder, and has "0/,
    ],
    [
      "lost leading zeros in an answer",
      calling("createPolicy", { value: [...issuedRows, ["/make", "/make", readAsNumber]] }),
      /^createPolicy: its answer arrives with "\d+" at \/make, and has "0\d+"$/,
    ],
    [
      "failure rows with wrong insurer codes and wrong meanings",
      speaking({
        failures: [{ ...limit, is: ["M-23"] }, { ...invalid, code: "CONFLICT" }, unknown],
      }),
      /^createPolicy: scenario LIMIT: no row of `failures` matches the refusal BROKER_LIMIT_EXCEEDED of its sandbox, which arrives as 422 application\/json \{"code":"M-22"\}$/,
      /^terms: the rows of `failures` translate the refusal INVALID_INPUT of its sandbox to CONFLICT, not to INVALID_INPUT$/,
      /^the adapter: `failures` row 1: no answer of the sandbox shows that M-23 means BROKER_LIMIT_EXCEEDED/,
    ],
    [
      "error codes and the token's lifetime at wrong places in an answer",
      speaking({
        failures: failures.map((row) => ({ ...row, at: "/error" })),
        login: { ...login, expiresIn: "/life" },
      }),
      /^terms: no row of `failures` matches the refusal INVALID_INPUT/,
      /must return the lifetime of its token/,
    ],
    [
      "a documented error message with a wrong code, and a proven failure row in `unproven`",
      {
        refusals: [{ endpoint: "terms", status: 400, body: '{"code":"M-00"}', code: "CONFLICT" }],
        unproven: { "failures M-22": "The limit is never reached." },
      },
      /^terms: the rows of `failures` translate the message of `refusals` \{"code":"M-00"\} to INVALID_INPUT, not to CONFLICT$/,
      /^`unproven` has failures M-22, which is proven or does not exist; remove it$/,
    ],
    [
      "a login without the password, and a setting that the adapter does not send",
      speaking({
        login: { ...login, body: login.body.slice(0, 1) },
        calls: { ...calls, createPolicy: { ...calls.createPolicy, headers: [] } },
      }),
      /^the credentials of the provider's sandbox cannot be used: its adapter's login is refused/,
      /^the adapter's login does not send the password$/,
      /^the setting brokerCode changes no request/,
    ],
    [
      "a sandbox without a login, and a document that the adapter reads at a wrong place",
      {
        sandbox: { ...sandbox, dialect: { ...dialect, refuse: () => null } },
        ...calling("terms", { document: { base64: "/pdf", mediaType: "application/pdf" } }),
      },
      /^its sandbox accepts a call without its login credential: refuse it$/,
      /^terms: its document does not reach the gateway with the same bytes: /,
    ],
    [
      "no example of a document that exists at the insurer",
      {
        examples: {
          ...subject.examples,
          terms: { one: { summary: "None", request: { query: { id: "2" } } } },
        },
      },
      /^terms: its adapter fetches no document: add an example/,
    ],
  ])(
    "the conformance check refuses a provider with a faulty package: %s",
    async (_, change, ...expected) => {
      const faults = await conformanceFaults({ ...subject, ...change });
      for (const fault of expected) expect(faults).toContainEqual(expect.stringMatching(fault));
    },
  );

  it("the conformance check accepts a `failures` row that matches no example of an answer if `unproven` states a reason", async () => {
    const change = speaking({ failures: [...dialectOf.failures, { ...limit, is: ["M-99"] }] });
    const unproven = { "failures M-99": "The manual has the code, and no message with it." };
    expect(await conformanceFaults({ ...subject, ...change, unproven })).toEqual([]);
  });
});
