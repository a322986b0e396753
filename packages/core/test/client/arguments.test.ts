import { describe, expect, it } from "vitest";
import { createGateway, memoryKeyStore } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import { createPolicy, listBrands, policyBody, providerM } from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { NOBODY_LISTENS } from "../harness/listen.ts";
import { json } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";

it("the client refuses texts that contain control characters or characters that change the text direction", async () => {
  const server = await scriptedServer(json({}));
  const body = { ...policyBody, holder: { afm: "123456789", fullName: "Ελένη\u202e" } };
  const failure = await failureOf(connect(server.address).call(createPolicy, { body }));
  expect(failure).toMatchObject({ errors: [{ pointer: "/holder/fullName" }] });
  expect(server.connections()).toBe(0);
});

it("the client refuses a provider whose package was built for another contract version", () => {
  const gateway = connect(NOBODY_LISTENS);
  expect(() => gateway.provider({ ...providerM, contract: 1 as never })).toThrow(
    "provider-m was built for contract version 1, and this client needs 2",
  );
});

describe("the argument of a call", () => {
  // Callers without types, or with a variable as argument, can pass any value.
  it.each<[string, unknown, readonly (readonly [string, string])[]]>([
    [
      "a misspelt option",
      { body: policyBody, idempotencykey: "mine" },
      [["/idempotencykey", "is not accepted; did you mean `idempotencyKey`?"]],
    ],
    [
      "the fields of the body without `body`",
      { holder: policyBody.holder },
      [["/holder", "is not accepted; put the fields of the body into `body`"]],
    ],
    [
      "names of methods that every object has",
      { body: policyBody, constructor: 1, toString: 1 },
      [
        ["/constructor", "is not accepted"],
        ["/toString", "is not accepted"],
      ],
    ],
    ["`null`", null, [["", "must be an object with body"]]],
    ["a list", [policyBody], [["", "must be an object with body"]]],
    [
      "a part that the endpoint does not have",
      { body: policyBody, query: { holder: "x" } },
      [["/query", "is not accepted"]],
    ],
    [
      "several faults in names, options and fields",
      {
        boddy: policyBody,
        timeout: Number.NaN,
        signal: {},
        idempotencyKey: "κλειδί",
        headers: { "x-a": "α" },
      },
      [
        ["/boddy", "is not accepted; did you mean `body`?"],
        ["/timeout", "must be a number of milliseconds"],
        ["/signal", "must be an AbortSignal"],
        ["/headers/x-a", "must be printable ASCII"],
        ["/idempotencyKey", "must be 1 to 255 characters"],
      ],
    ],
    [
      "a name that may be personal data",
      { body: policyBody, "Ελένη Παπαδοπούλου": 1 },
      [["", "is not accepted"]],
    ],
  ])(
    "the client refuses an invalid argument of a call, and the error names every fault of the argument: %s",
    async (_, argument, faults) => {
      const server = await scriptedServer(json({}));
      const call = connect(server.address).call(createPolicy, argument as never);
      const failure = await failureOf(call.then());
      expect(failure).toMatchObject({
        errors: faults.map(([pointer, text]) => ({
          pointer,
          message: expect.stringContaining(text),
        })),
      });
      expect(server.connections()).toBe(0);
    },
  );

  it("the client ignores `undefined` parts and options in the argument of a call", async () => {
    const server = await scriptedServer(json({ items: [] }));
    const argument = { query: undefined, timeout: undefined, other: undefined };
    await connect(server.address).call(listBrands, argument);
    expect(server.arrivals).toHaveLength(1);
  });
});

it("the client refuses a value that is not an endpoint", async () => {
  const gateway = connect(NOBODY_LISTENS);
  const noEndpoint = gateway.provider(providerM).createPolicy as never;
  const input = { body: policyBody, key: "case-1" } as never;
  expect(() => gateway.call(noEndpoint, input)).toThrow("the endpoint must be one that");
  await expect(gateway.submit(noEndpoint, input)).rejects.toThrow("the endpoint must be one that");
});

it("`resume` and `resolve` refuse unknown options and invalid arguments", async () => {
  const gateway = connect(NOBODY_LISTENS);
  const misspelt = { timout: 1 } as never;
  const text = "timout is not accepted; did you mean `timeout`?";
  await expect(gateway.resume(memoryKeyStore(), [createPolicy], misspelt)).rejects.toThrow(text);
  const result = await gateway.submit(createPolicy, { body: policyBody, key: "case-1" });
  if (result.outcome !== "unknown") throw new Error(`The outcome is ${result.outcome}`);
  await expect(result.error.resolve(misspelt)).rejects.toThrow(text);
  await expect(gateway.resume([createPolicy] as never, [])).rejects.toThrow(
    "a KeyStore and a list",
  );
  await expect(gateway.resume(memoryKeyStore(), createPolicy as never)).rejects.toThrow(
    "a list of",
  );
  await expect(
    gateway.resume(memoryKeyStore(), [createPolicy, listBrands as never]),
  ).rejects.toThrow("GET /brands is not a submission");
});

it("`resume` needs no endpoints if the key store is empty", async () => {
  const gateway = connect(NOBODY_LISTENS);
  const store = memoryKeyStore();
  expect(await gateway.resume(store, [])).toEqual([]);
  await store.add({ key: "k", provider: "provider-m", endpoint: "POST /policies" });
  await expect(gateway.resume(store, [])).rejects.toThrow("the endpoint of each key in the store");
});

it("the client refuses invalid options with one error that names every fault", () => {
  const options = { baseUrl: "ftp://x", tokn: "t", timeout: -1, transport: {}, segments: [] };
  expect(() => createGateway(options as never)).toThrow(
    expect.objectContaining({
      faults: [
        "tokn is not accepted; did you mean `token`?",
        "baseUrl must be an absolute http or https address",
        "timeout must be a positive number of milliseconds",
        "transport must be a Transport",
        "segments must be an object with a path segment for each provider's id",
      ],
    }),
  );
  expect(() => createGateway("http://127.0.0.1" as never)).toThrow("must be an object");
});
