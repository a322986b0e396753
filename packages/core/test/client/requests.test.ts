import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { quote } from "../../src/contract/index.ts";
import { loose, text, zod, zodSchema } from "../../src/schema/index.ts";
import { connect } from "../harness/connect.ts";
import {
  calculatePremium,
  cancelPolicy,
  createPolicy,
  issuedPolicy,
  listBrands,
  policyBody,
  providerM,
  readPolicy,
  searchPolicies,
} from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { json } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";

const brands = json({ items: ["Toyota"] });

describe("the address of a call", () => {
  it.each(["", "/", "/insurance/v1", "/insurance/v1/", "/insurance/v1//", "/insurance?", "/i#"])(
    "is below the base address with the ending %j",
    async (ending) => {
      const server = await scriptedServer(brands);
      await connect(server.address + ending).call(listBrands);
      const prefix = ending.replace(/[/?#]+$/, "");
      expect(server.arrivals[0]?.target).toBe(`${prefix}/provider-m/brands`);
    },
  );

  it("has the configured segment of the provider in the place of its id", async () => {
    const server = await scriptedServer(brands);
    const segments = { "provider-m": "Acme_1", "provider-a": "other" };
    await connect(server.address, { segments }).call(listBrands);
    expect(server.arrivals[0]?.target).toBe("/Acme_1/brands");
  });

  it("has the id of the provider, also if it is the name of a property of every object", async () => {
    const server = await scriptedServer(brands);
    const segments = { "provider-m": "Acme_1" };
    await connect(server.address, { segments }).call({ ...listBrands, provider: "constructor" });
    expect(server.arrivals[0]?.target).toBe("/constructor/brands");
  });

  it("has the parameters of the path percent-encoded in one segment", async () => {
    const server = await scriptedServer(json(issuedPolicy));
    const client = connect(server.address).provider(providerM);
    await client.readPolicy({ params: { policyId: "M&1 ?Ω" } });
    await client.cancelPolicy({ params: { policyId: "M-1" } });
    expect(server.arrivals.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "GET /provider-m/policies/M%261%20%3F%CE%A9",
      "DELETE /provider-m/policies/M-1",
    ]);
  });
});

it.each(["M/1", "M\\1", "M%2F1", "..", "%2e%2e", "M\ud800"])(
  "a call with %j in its path names the parameter, and nothing is sent",
  async (policyId) => {
    const server = await scriptedServer(json(issuedPolicy));
    const call = connect(server.address).call(readPolicy, { params: { policyId } });
    expect(await failureOf(call)).toMatchObject({
      outcome: "not_sent",
      errors: [{ pointer: "/path/policyId", message: expect.stringContaining("slash") }],
    });
    expect(server.arrivals).toEqual([]);
  },
);

describe("what a call sends", () => {
  it("a call omits undefined values, as JSON does", async () => {
    const page = { items: [], start: 1, limit: 20, total: 0 };
    const server = await scriptedServer(json(page), json(issuedPolicy, 201));
    const gateway = connect(server.address);
    // A caller without exactOptionalPropertyTypes can give undefined, although these types say otherwise.
    const query = { clientAfm: "123456789", limit: undefined } as unknown as { clientAfm: string };
    const body = { ...policyBody, note: undefined } as unknown as typeof policyBody;
    await gateway.call(searchPolicies, { query });
    await gateway.call(createPolicy, { body });
    expect(server.arrivals[0]?.target).toBe("/provider-m/policies?clientAfm=123456789&start=1");
    expect(JSON.parse(server.arrivals[1]?.body ?? "")).toEqual(policyBody);
  });

  it("is a body of null where null is declared, and nothing where it is left out", async () => {
    const server = await scriptedServer(json({ items: [] }), json({ items: [] }));
    const note = loose<{ note?: string }>({ note: z.exactOptional(text()) });
    const rerun = quote<{ body: { note?: string } | null | undefined; response: object }>({
      provider: "provider-m",
      path: "/runs",
      body: { required: false, media: { "application/json": zodSchema(z.nullable(zod(note))) } },
      response: { 200: loose<object>({}) },
    });
    await connect(server.address).call(rerun, { body: null });
    await connect(server.address).call(rerun, {});
    expect(server.arrivals.map(({ body }) => body)).toEqual(["null", ""]);
  });

  it("has the caller's headers beside its own, which cannot be replaced", async () => {
    const server = await scriptedServer(brands);
    await connect(server.address).call(listBrands, {
      headers: { "X-Sandbox-Scenario": "SLOW", Accept: "text/html", Authorization: "Basic eDp5" },
    });
    expect(server.arrivals[0]?.headers).toMatchObject({
      "x-sandbox-scenario": "SLOW",
      accept: "application/json",
      authorization: "Bearer token-1",
    });
  });

  it("goes over connections that are kept: calls one after the other open no third", async () => {
    const server = await scriptedServer(brands);
    const gateway = connect(server.address);
    for (let count = 0; count < 10; count++) await gateway.call(listBrands);
    expect(server.arrivals).toHaveLength(10);
    expect(server.connections()).toBeLessThanOrEqual(2);
  });
});

describe("what a call gives", () => {
  it("is the answer as it came, fields that are not declared among it", async () => {
    const answer = { ...issuedPolicy, status: "SUSPENDED", agent: { code: 7 } };
    const server = await scriptedServer(json(answer));
    const client = connect(server.address).provider(providerM);
    expect(await client.readPolicy({ params: { policyId: "M-1" } })).toEqual(answer);
  });

  it("is, with the head, also status, headers and the id of the request", async () => {
    const head = { "X-Request-Id": "req-7", "Retry-After": "0" };
    const server = await scriptedServer(json(issuedPolicy, 201, head));
    const call = connect(server.address).call(createPolicy, { body: policyBody });
    const { data, response } = await call.withResponse();
    expect(data).toEqual(issuedPolicy);
    expect(response).toMatchObject({
      status: 201,
      requestId: "req-7",
      headers: { "content-type": "application/json; charset=utf-8", "retry-after": "0" },
    });
    expect(await call).toEqual(issuedPolicy);
    expect(server.arrivals).toHaveLength(1);
  });

  it("has no id of the request when the answer names none", async () => {
    const server = await scriptedServer(brands);
    const { response } = await connect(server.address).call(listBrands).withResponse();
    expect(response.requestId).toBeNull();
  });

  it("works wherever a promise does", async () => {
    const server = await scriptedServer(brands);
    const client = connect(server.address).provider(providerM);
    const done: string[] = [];
    const [first, second] = await Promise.all([
      client.listBrands(),
      client.listBrands().finally(() => done.push("finally")),
    ]);
    expect([first, second]).toEqual([{ items: ["Toyota"] }, { items: ["Toyota"] }]);
    expect(done).toEqual(["finally"]);
  });

  it("fails once: asking for the head beside it makes no unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): number => unhandled.push(reason);
    process.on("unhandledRejection", listener);
    const server = await scriptedServer(json({}, 500));
    const call = connect(server.address).call(listBrands);
    void call.withResponse();
    await expect(call).rejects.toThrow("RESPONSE_INVALID");
    // Node reports a rejection that nobody handled before the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", listener);
    expect(unhandled).toEqual([]);
  });
});

describe("a request that breaks its declaration", () => {
  it("is not sent, and names every fault of every part", async () => {
    const server = await scriptedServer(brands);
    const gateway = connect(server.address);
    const failure = await failureOf(
      gateway.call(createPolicy, {
        body: { ...policyBody, endDate: "2026-02-30", holder: { afm: "1", fullName: "Ελένη" } },
      }),
    );
    expect(failure).toMatchObject({
      name: "RequestInvalidError",
      code: "REQUEST_INVALID",
      outcome: "not_sent",
      retry: "never",
      endpoint: "POST /policies",
      provider: "provider-m",
      requestId: null,
      errors: [
        { pointer: "/endDate", code: "FORMAT" },
        { pointer: "/holder/afm", code: "FORMAT" },
      ],
    });
    expect(server.connections()).toBe(0);
  });

  it.each([
    ["a missing query", searchPolicies, {}, "/query/clientAfm"],
    [
      "a limit out of range",
      searchPolicies,
      { query: { clientAfm: "123456789", limit: 101 } },
      "/query/limit",
    ],
    ["a missing path parameter", readPolicy, {}, "/path/policyId"],
    [
      "a path parameter that names another path",
      cancelPolicy,
      { params: { policyId: ".." } },
      "/path/policyId",
    ],
    ["a missing body", calculatePremium, {}, "/afm"],
  ])("because of %s is not sent", async (_, endpoint, input, pointer) => {
    const server = await scriptedServer(brands);
    const call = connect(server.address).call(endpoint, input);
    expect(await failureOf(call)).toMatchObject({
      name: "RequestInvalidError",
      errors: expect.arrayContaining([expect.objectContaining({ pointer })]),
    });
    expect(server.connections()).toBe(0);
  });
});

describe("headers of the caller's own", () => {
  it.each([
    ["x-note", "Γειά", "/headers/x-note"],
    ["x-note", "a\r\nb: c", "/headers/x-note"],
    ["Expect", "100-continue", "/headers/Expect"],
    ["transfer-encoding", "chunked", "/headers/transfer-encoding"],
    ["no name", "x", "/headers"],
  ])(
    "are refused before anything is sent where they cannot be: %s",
    async (name, value, pointer) => {
      const server = await scriptedServer(brands);
      const failure = await failureOf(
        connect(server.address).call(listBrands, { headers: { [name]: value } }),
      );
      expect(failure).toMatchObject({
        name: "RequestInvalidError",
        outcome: "not_sent",
        retry: "never",
        errors: [{ pointer }],
      });
      expect(server.arrivals).toEqual([]);
    },
  );
});
