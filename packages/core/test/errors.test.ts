import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import * as core from "../src/index.ts";
import { type Gateway, GatewayError, type GatewayOptions } from "../src/index.ts";
import { TransportError } from "../src/transport/index.ts";
import { connect } from "./harness/connect.ts";
import {
  createPolicy,
  downloadTerms,
  listBrands,
  policyBody,
  searchPolicies,
} from "./harness/declarations.ts";
import { failureOf } from "./harness/failure.ts";
import { NOBODY_LISTENS } from "./harness/listen.ts";
import { brokenMidway, json, problem, raw, reset } from "./harness/replies.ts";
import { type Reply, scriptedServer } from "./harness/scripted-server.ts";
import { secondCopy } from "./harness/second-copy.ts";

type Core = typeof core;

const unusable = json({ policyId: 1 }, 201);

/** Calls by error class. Each call fails with an error of this class, from each of the two copies of core. */
const failures: Readonly<Record<string, (copy: Core, address: string) => unknown>> = {
  ConfigurationError: (copy) => copy.createGateway({ baseUrl: "", token: "t" }),
  ConnectionError: ({ createGateway }) =>
    createGateway({ baseUrl: NOBODY_LISTENS, token: "t", timeout: 1e-9 }).call(createPolicy, {
      body: policyBody,
    }),
  OutcomeUnknownError: ({ createGateway }, baseUrl) =>
    createGateway({ baseUrl, token: "t" }).call(createPolicy, { body: policyBody }),
  ProblemError: ({ createGateway }, baseUrl) =>
    createGateway({ baseUrl, token: "t", segments: { "provider-m": "problem" } }).call(
      createPolicy,
      { body: policyBody },
    ),
  RequestInvalidError: ({ createGateway }, baseUrl) =>
    createGateway({ baseUrl, token: "t" }).call(searchPolicies, { query: { clientAfm: "" } }),
  ResponseInvalidError: ({ createGateway }, baseUrl) =>
    createGateway({ baseUrl, token: "t" }).call(listBrands),
  TokenError: ({ createGateway }, baseUrl) =>
    createGateway({ baseUrl, token: () => "" }).call(createPolicy, { body: policyBody }),
};

interface ErrorClass {
  readonly isInstance: (value: unknown) => boolean;
}

const classes = Object.entries(core).flatMap(([name, value]): [string, ErrorClass][] =>
  "isInstance" in value ? [[name, value]] : [],
);

function answerer() {
  return scriptedServer((response, arrival) => {
    const reply = arrival.target.startsWith("/problem") ? problem({ retry: "never" }) : unusable;
    reply(response, arrival);
  });
}

describe("error classes", () => {
  it("an error class is exported for every way in which a call or the setup of a client can fail", () => {
    expect(classes.map(([name]) => name).toSorted()).toEqual(
      ["GatewayError", ...Object.keys(failures)].toSorted(),
    );
  });

  it("`isInstance` of each error class accepts only errors of this class, even from a second copy of the package `core`", async () => {
    const copy = await secondCopy();
    expect(copy.ProblemError).not.toBe(core.ProblemError);
    const server = await answerer();
    for (const [from, name] of Object.keys(failures).flatMap((name) => [
      [core, name] as const,
      [copy, name] as const,
    ])) {
      const failure = await failureOf((async () => failures[name]?.(from, server.address))());
      const expected = name === "ConfigurationError" ? [name] : ["GatewayError", name];
      expect(failure).toMatchObject({ name });
      expect(failure).toBeInstanceOf(Error);
      expect(
        classes
          .flatMap(([known, { isInstance }]) => (isInstance(failure) ? [known] : []))
          .toSorted(),
      ).toEqual(expected.toSorted());
    }
  });

  it.each(classes)(
    "`%s.isInstance` returns false for values that are not errors of the client",
    (name, { isInstance }) => {
      const others = [
        undefined,
        null,
        "x",
        {},
        new Error(name),
        { name },
        new TransportError("wait", "failed"),
      ];
      expect(others.filter((other) => isInstance(other))).toEqual([]);
    },
  );
});

describe("the content of an error", () => {
  const canary = {
    afm: "987654321",
    name: "Καναρίνη",
    token: "canary.token.value",
    answer: "canary-answer",
    prefix: "canary-prefix",
  };
  const body = { ...policyBody, holder: { afm: canary.afm, fullName: canary.name } };
  const create = (gateway: Gateway): Promise<unknown> => gateway.call(createPolicy, { body });
  const search = (gateway: Gateway): Promise<unknown> =>
    gateway.call(searchPolicies, { query: { clientAfm: canary.afm } });
  const page = { items: [{ policyId: canary.afm, status: 7 }], start: 1, limit: 20, total: null };

  /** Returns a problem with an undeclared member in each part. */
  const surplus = Object.assign(
    { input: canary, cause: canary },
    {
      errors: [
        Object.assign(
          { pointer: "/holder/afm", code: "FORMAT" as const, message: "is wrong" },
          { value: canary },
        ),
      ],
      reconciliation: {
        href: "/submissions/S-1",
        endpoint: "searchPolicies",
        parameters: { clientAfm: Object.assign({ from: "/holder/afm" }, { value: canary.afm }) },
        found: canary,
      },
    },
  );

  it.each<[string, (gateway: Gateway) => Promise<unknown>, Reply, Partial<GatewayOptions>?]>([
    ["a problem", create, problem({ retry: "never" })],
    ["a problem with undeclared members", create, problem({ retry: "never", ...surplus })],
    [
      "a problem of unknown outcome with undeclared members",
      create,
      problem({ status: 504, outcome: "unknown", retry: "same_key", ...surplus }),
    ],
    [
      "an incomplete answer to a submission",
      create,
      brokenMidway("application/json", 201, { location: "/submissions/S-1" }),
    ],
    ["a submission without an answer", create, reset],
    ["an HTML page", create, raw(canary.answer, "text/html", 502)],
    ["an answer that is not JSON", create, raw(canary.answer, "application/json", 201)],
    ["a search answer that breaks its declaration", search, json(page)],
    ["an answer with a field of another type", create, json({ policyId: 1, status: canary }, 201)],
    ["a broken connection", search, reset],
    ["an incomplete answer to a search", search, brokenMidway("application/json")],
    [
      "a download of another file type",
      (gateway) => gateway.call(downloadTerms, { query: { policyId: canary.afm } }),
      raw(canary.answer, "text/html"),
    ],
    ["a refused connection", search, reset, { baseUrl: NOBODY_LISTENS }],
    ["an invalid token", search, reset, { token: () => `${canary.token}\n` }],
    [
      "a request that breaks its declaration",
      (gateway) =>
        gateway.call(createPolicy, {
          body: {
            ...body,
            startDate: canary.answer,
            holder: Object.assign(
              { afm: `${canary.afm}0`, fullName: "" },
              { [canary.afm]: canary.name },
            ),
          },
        }),
      reset,
    ],
    [
      "a header that cannot be sent",
      (gateway) => gateway.call(createPolicy, { body, headers: { "x-note": canary.name } }),
      reset,
    ],
  ])(
    "the client's error after %s contains no personal data, no token and no text of the answer",
    async (_, call, reply, options) => {
      const server = await scriptedServer(reply);
      const address = `${server.address}/${canary.prefix}`;
      const failure = await failureOf(call(connect(address, { token: canary.token, ...options })));
      if (!GatewayError.isInstance(failure)) throw new TypeError("The error is not a GatewayError");
      const shown = [
        JSON.stringify(failure),
        inspect(failure, { depth: 10, showHidden: true, getters: true }),
        String(failure),
        failure.stack ?? "",
      ].join("\n");
      for (const secret of Object.values(canary)) expect(shown).not.toContain(secret);
      expect(shown).not.toContain(encodeURIComponent(canary.name));
    },
  );

  it("a ProblemError as JSON has every field on which a program bases its decisions", async () => {
    const server = await scriptedServer(problem({ retry: "never" }, { "retry-after": "3" }));
    const failure = await failureOf(create(connect(server.address)));
    expect(JSON.parse(JSON.stringify(failure))).toEqual({
      name: "ProblemError",
      message:
        "provider-m POST /policies: PROVIDER_UNAVAILABLE. The insurer takes no calls for now.",
      type: "https://gateway.example/errors/PROVIDER_UNAVAILABLE",
      status: 503,
      code: "PROVIDER_UNAVAILABLE",
      outcome: "not_sent",
      retry: "never",
      requestId: "req-1",
      provider: "provider-m",
      endpoint: "POST /policies",
      errors: [],
      retryAfterSeconds: 3,
      reconciliation: null,
      submissionId: null,
      insurerId: null,
    });
  });

  it("an OutcomeUnknownError as JSON has every field that a program needs to find the outcome", async () => {
    const server = await scriptedServer(
      problem({
        status: 504,
        code: "OUTCOME_UNKNOWN",
        outcome: "unknown",
        retry: "same_key",
        reconciliation: { href: "/insurance/submissions/S-1" },
      }),
    );
    const call = connect(server.address).call(createPolicy, {
      body: policyBody,
      idempotencyKey: "key-1",
    });
    expect(JSON.parse(JSON.stringify(await failureOf(call)))).toEqual({
      name: "OutcomeUnknownError",
      message:
        'provider-m POST /policies: OUTCOME_UNKNOWN. The insurer takes no calls for now. The submission may have been sent, and the insurer may have acted. Call again with the same input and the key "key-1", or ask gateway.submission("S-1"). The same key never takes effect twice.',
      code: "OUTCOME_UNKNOWN",
      outcome: "unknown",
      retry: "same_key",
      provider: "provider-m",
      endpoint: "POST /policies",
      requestId: "req-1",
      mayBeSent: true,
      idempotencyKey: "key-1",
      submissionId: "S-1",
      insurerId: null,
      reconciliation: { href: "/insurance/submissions/S-1" },
      status: 504,
      retryAfterSeconds: null,
      askAgainAt: null,
      cause: { name: "ProblemError", code: "OUTCOME_UNKNOWN", status: 504, errors: [] },
    });
  });
});
