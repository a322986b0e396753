import { plainText } from "@insurance-gateway/adapter";
import { describe, expect, it } from "vitest";
import { type ConformanceSubject, conformanceFaults } from "../src/index.ts";
import {
  calling,
  calls,
  createPolicy,
  declaring,
  dialect,
  dialectOf,
  failures,
  issuedRows,
  login,
  reconcile,
  sandbox,
  sending,
  speaking,
  subject,
} from "./promising-provider.ts";

const [limit, invalid, unknown] = failures;
const { same = [] } = createPolicy;
const zeros = /^0+(?=\d)/;
const writtenAsNumber = {
  ...plainText,
  write: (ours: unknown) => String(ours).replace(zeros, ""),
};
const readAsNumber = { ...plainText, read: (theirs: unknown) => String(theirs).replace(zeros, "") };

describe("a provider that promises more than it does", () => {
  it("a provider that promises more than it does is refused", async () => {
    expect(await conformanceFaults(subject)).toEqual([]);
  });

  it.each<[string, Partial<ConformanceSubject>, ...RegExp[]]>([
    [
      "marks the request that issues a policy with `acts: false`, and a search as acting",
      sending((inner) => (endpoint, input, send, context) => {
        const acts = endpoint.kind === "search";
        return inner.call(endpoint, input, (request) => send({ ...request, acts }), context);
      }),
      /^createPolicy: its adapter marks the request that the insurer carries out with `acts: false`/,
      /^findPolicies: its adapter marks a request as acting/,
    ],
    [
      "sends a submission twice",
      sending((inner) => (endpoint, input, send, context) => {
        const twice: typeof send = async (request) => {
          if (request.method === "POST") await send({ ...request, acts: false });
          return send(request);
        };
        return inner.call(endpoint, input, twice, context);
      }),
      /^createPolicy: its adapter sends it 2 times/,
    ],
    [
      "searches for a wrong value",
      declaring({ reconcile: { ...reconcile, parameters: { holder: { from: "/make" } } } }),
      /^createPolicy: its reconciliation findPolicies, a day after an answer was lost, finds nothing of the submission, with \{"holder":"TOY"\}$/,
    ],
    [
      "takes the time of the last change for that of the creation, and has identifiers that are equal",
      declaring({
        reconcile: { ...reconcile, createdAt: "/changedAt" },
        insurerId: "/changedAt",
      }),
      /finds "2026-11-22T10:00:00.000Z" at \/changedAt, and it was created at 2026-11-21T08:00:00.000Z$/,
      /^createPolicy: two submissions get the same identifier "2026-11-21T08:00:00.000Z"/,
      /^createPolicy: its `insurerId` \/changedAt is a word, a time or a flag/,
    ],
    [
      "contradicts its own schemas",
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
      "has words that nobody answers, and a plate without a normaliser",
      declaring({
        closedWhen: { at: "/make", is: ["TOY", "BMW"] },
        same: ["/plate", ...same.slice(1)],
      }),
      /^createPolicy: its `closedWhen` has BMW, and no example or scenario answers it at \/make, or write in `unproven`/,
      /^createPolicy: the plate \/plate in `same` needs a normaliser/,
    ],
    [
      "closes at a field that no answer has",
      declaring({ closedWhen: { at: "/state", is: ["DECLINED"] } }),
      /^createPolicy: its answer has no \/state, which `closedWhen` names$/,
    ],
    [
      "is `native` without our name for the submission",
      {
        ...declaring({ idempotency: "native" }),
        ...calling("createPolicy", { body: calls.createPolicy.body?.slice(0, 1) ?? [] }),
      },
      /^createPolicy: its adapter does not send our name for the submission/,
    ],
    [
      "is `native` at an insurer that acts twice",
      declaring({ idempotency: "native" }),
      /^createPolicy: its insurer carries it out twice for the same name of ours/,
    ],
    [
      "cannot be found by our name, and loses leading zeros",
      calling("findPolicies", {
        byReference: { path: "/api/references/{/query/holder}", item: issuedRows },
        query: [...(calls.findPolicies.query ?? []), ["/query/holder", "/name", writtenAsNumber]],
      }),
      /^createPolicy: findPolicies by our name for the submission finds \[\], not "M-1"$/,
      /^findPolicies: its request arrives with "[^"]*" at \/query\/holder, and has "0/,
    ],
    [
      "loses leading zeros of an answer",
      calling("createPolicy", { value: [...issuedRows, ["/make", "/make", readAsNumber]] }),
      /^createPolicy: its answer arrives with "\d+" at \/make, and has "0\d+"$/,
    ],
    [
      "has rows with other codes and meanings",
      speaking({
        failures: [{ ...limit, is: ["M-23"] }, { ...invalid, code: "CONFLICT" }, unknown],
      }),
      /^createPolicy: scenario LIMIT: no row of `failures` matches the refusal BROKER_LIMIT_EXCEEDED of its sandbox, which arrives as 422 application\/json \{"code":"M-22"\}$/,
      /^terms: the rows of `failures` make CONFLICT of the refusal INVALID_INPUT of its sandbox, not INVALID_INPUT$/,
      /^the adapter: `failures` row 1: no answer of the sandbox shows that M-23 means BROKER_LIMIT_EXCEEDED/,
    ],
    [
      "looks for the codes at another place, and for the token's life",
      speaking({
        failures: failures.map((row) => ({ ...row, at: "/error" })),
        login: { ...login, expiresIn: "/life" },
      }),
      /^terms: no row of `failures` matches the refusal INVALID_INPUT/,
      /does not say how long its token is valid/,
    ],
    [
      "reads a message of the manual as another code, and gives a reason for what is proven",
      {
        refusals: [{ endpoint: "terms", status: 400, body: '{"code":"M-00"}', code: "CONFLICT" }],
        unproven: { "failures M-22": "The limit is never reached." },
      },
      /^terms: the rows of `failures` make INVALID_INPUT of the message of `refusals` \{"code":"M-00"\}, not CONFLICT$/,
      /^`unproven` has failures M-22, which is proven or does not exist; remove it$/,
    ],
    [
      "logs in without the password, and does not send a setting",
      speaking({
        login: { ...login, body: login.body.slice(0, 1) },
        calls: { ...calls, createPolicy: { ...calls.createPolicy, headers: [] } },
      }),
      /^its sandbox's credentials cannot be used: its adapter's login is refused/,
      /^the adapter's login does not send the password$/,
      /^the setting brokerCode changes no request/,
    ],
    [
      "has a sandbox that needs no login, and fetches a document from another place",
      {
        sandbox: { ...sandbox, dialect: { ...dialect, sendRefusal: () => null } },
        ...calling("terms", { document: { base64: "/pdf", mediaType: "application/pdf" } }),
      },
      /^its sandbox accepts a call without its login credential: refuse it$/,
      /^terms: its document does not reach the gateway with the same bytes: /,
    ],
    [
      "has no example of a document that the insurer has",
      {
        examples: {
          ...subject.examples,
          terms: { one: { summary: "None", request: { query: { id: "2" } } } },
        },
      },
      /^terms: its adapter fetches no document: give it an example/,
    ],
  ])("is refused if it %s", async (_, change, ...expected) => {
    const faults = await conformanceFaults({ ...subject, ...change });
    for (const fault of expected) expect(faults).toContainEqual(expect.stringMatching(fault));
  });

  it("may leave a row unproven for a reason", async () => {
    const change = speaking({ failures: [...dialectOf.failures, { ...limit, is: ["M-99"] }] });
    const unproven = { "failures M-99": "The manual has the code, and no message with it." };
    expect(await conformanceFaults({ ...subject, ...change, unproven })).toEqual([]);
  });
});
