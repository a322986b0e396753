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
    "the address of a call begins with the client's base address, regardless of the ending of the base address: %j",
    async (ending) => {
      const server = await scriptedServer(brands);
      await connect(server.address + ending).call(listBrands);
      const prefix = ending.replace(/[/?#]+$/, "");
      expect(server.arrivals[0]?.target).toBe(`${prefix}/provider-m/brands`);
    },
  );

  it("the address of a call has the configured segment instead of the provider's id", async () => {
    const server = await scriptedServer(brands);
    const segments = { "provider-m": "Acme_1", "provider-a": "other" };
    await connect(server.address, { segments }).call(listBrands);
    expect(server.arrivals[0]?.target).toBe("/Acme_1/brands");
  });

  it("the address of a call has the provider's id even if the id is a property name of every object", async () => {
    const server = await scriptedServer(brands);
    const segments = { "provider-m": "Acme_1" };
    await connect(server.address, { segments }).call({ ...listBrands, provider: "constructor" });
    expect(server.arrivals[0]?.target).toBe("/constructor/brands");
  });

  it("the address of a call has percent-encoded path parameters, each as one segment", async () => {
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
  "a call fails without a request, and the error names the path parameter, if the parameter is %j",
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

describe("the request of a call", () => {
  it("the client omits undefined values from the query and the body, as JSON does", async () => {
    const page = { items: [], start: 1, limit: 20, total: 0 };
    const server = await scriptedServer(json(page), json(issuedPolicy, 201));
    const gateway = connect(server.address);
    // A caller without exactOptionalPropertyTypes can pass undefined, although these types do not allow it.
    const query = { clientAfm: "123456789", limit: undefined } as unknown as { clientAfm: string };
    const body = { ...policyBody, note: undefined } as unknown as typeof policyBody;
    await gateway.call(searchPolicies, { query });
    await gateway.call(createPolicy, { body });
    expect(server.arrivals[0]?.target).toBe("/provider-m/policies?clientAfm=123456789&start=1");
    expect(JSON.parse(server.arrivals[1]?.body ?? "")).toEqual(policyBody);
  });

  it("the client sends `null` if the call has `null` as body, and no body if the call has none", async () => {
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

  it("the client sends the calling program's headers, which cannot replace the client's own headers", async () => {
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

  it("the client uses at most two connections for successive calls", async () => {
    const server = await scriptedServer(brands);
    const gateway = connect(server.address);
    for (let count = 0; count < 10; count++) await gateway.call(listBrands);
    expect(server.arrivals).toHaveLength(10);
    expect(server.connections()).toBeLessThanOrEqual(2);
  });
});

describe("the result of a call", () => {
  it("a call returns the answer unchanged, including undeclared fields", async () => {
    const answer = { ...issuedPolicy, status: "SUSPENDED", agent: { code: 7 } };
    const server = await scriptedServer(json(answer));
    const client = connect(server.address).provider(providerM);
    expect(await client.readPolicy({ params: { policyId: "M-1" } })).toEqual(answer);
  });

  it("`withResponse()` returns the answer with its status, headers and request ID", async () => {
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

  it("`withResponse()` returns the request ID `null` if the answer has no request ID", async () => {
    const server = await scriptedServer(brands);
    const { response } = await connect(server.address).call(listBrands).withResponse();
    expect(response.requestId).toBeNull();
  });

  it("the result of a call works as a promise, for example with `Promise.all` and `finally`", async () => {
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

  it("a failed call with `withResponse()` causes no unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): number => unhandled.push(reason);
    process.on("unhandledRejection", listener);
    const server = await scriptedServer(json({}, 500));
    const call = connect(server.address).call(listBrands);
    void call.withResponse();
    await expect(call).rejects.toThrow("RESPONSE_INVALID");
    // Node reports an unhandled rejection before the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", listener);
    expect(unhandled).toEqual([]);
  });
});

describe("requests that break their declaration", () => {
  it("the client does not send an invalid request, and names every fault", async () => {
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
    ["a missing query parameter", searchPolicies, {}, "/query/clientAfm"],
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
  ])("the client does not send a request with %s", async (_, endpoint, input, pointer) => {
    const server = await scriptedServer(brands);
    const call = connect(server.address).call(endpoint, input);
    expect(await failureOf(call)).toMatchObject({
      name: "RequestInvalidError",
      errors: expect.arrayContaining([expect.objectContaining({ pointer })]),
    });
    expect(server.connections()).toBe(0);
  });
});

describe("headers that the calling program sets", () => {
  it.each([
    ["x-note", "Γειά", "/headers/x-note"],
    ["x-note", "a\r\nb: c", "/headers/x-note"],
    ["Expect", "100-continue", "/headers/Expect"],
    ["transfer-encoding", "chunked", "/headers/transfer-encoding"],
    ["no name", "x", "/headers"],
  ])(
    "the client sends nothing if a header cannot be sent: %s: %j",
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
