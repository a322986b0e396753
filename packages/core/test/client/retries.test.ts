import { describe, expect, it } from "vitest";
import type { Gateway } from "../../src/index.ts";
import { file } from "../../src/schema/index.ts";
import { TransportError } from "../../src/transport/index.ts";
import { connect } from "../harness/connect.ts";
import {
  calculatePremium,
  createPolicy,
  issuedPolicy,
  listBrands,
  policyBody,
} from "../harness/declarations.ts";
import { failingTransport } from "../harness/failing-transport.ts";
import { failureOf } from "../harness/failure.ts";
import { brokenMidway, json, problem, raw, reset } from "../harness/replies.ts";
import { type Reply, scriptedServer } from "../harness/scripted-server.ts";
import { signalOfWait } from "../harness/signal-of-wait.ts";

const refused = new TransportError("connect", "failed", "ECONNREFUSED");
const now = { "retry-after": "0" };
const brands = json({ items: ["Toyota"] });

describe("connections that fail before sending", () => {
  it.each(["resolve", "connect", "tls"] as const)(
    "the client connects again, even for a submission, if the connection fails before the request is sent, in the phase %s",
    async (phase) => {
      const server = await scriptedServer(json(issuedPolicy, 201));
      const transport = failingTransport(new TransportError(phase, "failed"), refused);
      const gateway = connect(server.address, { transport });
      expect(await gateway.call(createPolicy, { body: policyBody })).toEqual(issuedPolicy);
      expect(transport.sends()).toBe(3);
      expect(server.arrivals).toHaveLength(1);
    },
  );

  it("the client makes at most three attempts if no attempt opens a connection", async () => {
    const server = await scriptedServer(brands);
    const transport = failingTransport(refused, refused, refused, refused);
    const failure = await failureOf(connect(server.address, { transport }).call(listBrands));
    expect(failure).toMatchObject({ code: "CONNECTION_FAILED", outcome: "not_sent" });
    expect(transport.sends()).toBe(3);
  });

  it("the client makes only one attempt for a submission whose body can be read only once", async () => {
    const media = { "application/pdf": file() };
    // The provider of the tests declares no upload.
    const upload = { ...createPolicy, body: { required: true, media } } as never;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("%PDF-");
    }
    const server = await scriptedServer(json(issuedPolicy, 201));
    const sendUpload = (content: unknown): Promise<unknown> => {
      const gateway = connect(server.address, { transport: failingTransport(refused) });
      const body = { mediaType: "application/pdf", content };
      return gateway.call(upload, { body } as never);
    };
    const failure = await failureOf(sendUpload(pieces()));
    expect(failure).toMatchObject({ outcome: "not_sent", retry: "safe" });
    expect(server.connections()).toBe(0);
    expect(await sendUpload(Buffer.from("%PDF-"))).toEqual(issuedPolicy);
  });

  it("the client does not connect again after a timeout or a cancellation", async () => {
    for (const [reason, code] of [
      ["timeout", "TIMEOUT"],
      ["cancelled", "CANCELLED"],
    ] as const) {
      const server = await scriptedServer(brands);
      const transport = failingTransport(new TransportError("connect", reason));
      const failure = await failureOf(connect(server.address, { transport }).call(listBrands));
      expect(failure).toMatchObject({ code, outcome: "not_sent" });
      expect(transport.sends()).toBe(1);
    }
  });
});

/** Faults of a load balancer between the client and the gateway that spoil one attempt. */
const spoiled: Readonly<Record<string, Reply>> = {
  "resets the connection": reset,
  "closes the connection": (response) => void response.socket?.end(),
  "breaks the answer off": (response, arrival) =>
    brokenMidway("application/json", arrival.target.endsWith("/policies") ? 201 : 200)(
      response,
      arrival,
    ),
  "answers with a page and status 502": raw("<h1>Bad Gateway</h1>", "text/html", 502),
  "answers with a page and status 503": raw("<h1>Unavailable</h1>", "text/html", 503),
  "answers with a page and status 504": raw("<h1>Timeout</h1>", "text/html", 504),
  "answers with a text and status 429": raw("slow down", "text/plain", 429),
  "answers with its own JSON and status 503": json({ message: "no healthy upstream" }, 503),
};

describe.each(Object.entries(spoiled))("a load balancer that %s once", (_, spoil) => {
  it.each<[string, Reply, (gateway: Gateway) => Promise<unknown>]>([
    ["lookup", brands, (gateway) => gateway.call(listBrands)],
    [
      "quote",
      json(issuedPolicy),
      (gateway) => gateway.call(calculatePremium, { body: policyBody.holder }),
    ],
    [
      "submission",
      json(issuedPolicy, 201),
      (gateway) => gateway.call(createPolicy, { body: policyBody }),
    ],
  ])(
    "the client repeats a %s after a load balancer's fault and succeeds",
    async (_, answer, call) => {
      const server = await scriptedServer(spoil, answer);
      await call(connect(server.address));
      expect(server.arrivals).toHaveLength(2);
      expect(server.arrivals[1]).toEqual(server.arrivals[0]);
    },
  );
});

it("the client does not send a submission on a connection that the server may be closing", async () => {
  const server = await scriptedServer(brands, json(issuedPolicy, 201));
  const gateway = connect(server.address);
  await gateway.call(listBrands);
  await gateway.call(createPolicy, { body: policyBody });
  expect(server.connections()).toBe(2);
});

describe("repeated calls after a problem", () => {
  it("the client repeats a request after the required wait if the gateway's problem is safe to repeat", async () => {
    const server = await scriptedServer(
      problem({}, now),
      problem({}, now),
      json(issuedPolicy, 201),
    );
    const gateway = connect(server.address);
    expect(await gateway.call(createPolicy, { body: policyBody })).toEqual(issuedPolicy);
    expect(server.arrivals).toHaveLength(3);
    expect(server.arrivals[2]).toEqual(server.arrivals[0]);
  });

  it.each([
    ["the advice `never`", { retry: "never" }, now],
    ["the advice `after_check`", { retry: "after_check", outcome: "unknown" }, now],
    ["no Retry-After", {}, {}],
    ["a Retry-After in the past", {}, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }],
    ["a negative Retry-After", {}, { "retry-after": "-1" }],
    ["a Retry-After past the deadline", {}, { "retry-after": "61" }],
  ] as const)(
    "the client does not repeat a call after a problem with %s",
    async (_, parts, headers) => {
      const server = await scriptedServer(problem(parts, headers), brands);
      expect(await failureOf(connect(server.address).call(listBrands))).toMatchObject({
        name: "ProblemError",
      });
      expect(server.arrivals).toHaveLength(1);
    },
  );

  it("the client throws a ProblemError at once if the wait in Retry-After would pass the deadline", async () => {
    const server = await scriptedServer(problem({}, { "retry-after": "19" }), brands);
    const call = connect(server.address).call(listBrands, { timeout: 18_000 });
    expect(await failureOf(call)).toMatchObject({ retryAfterSeconds: 19 });
    expect(server.arrivals).toHaveLength(1);
  });

  it("a call ends at once if the calling program cancels the wait for the next attempt", async () => {
    const signal = signalOfWait(queueMicrotask);
    const server = await scriptedServer(problem({}, { "retry-after": "19" }), brands);
    const failure = await failureOf(connect(server.address).call(listBrands, { signal }));
    expect(failure).toMatchObject({
      name: "ConnectionError",
      code: "CANCELLED",
      outcome: "not_sent",
      retry: "safe",
    });
    expect(server.arrivals).toHaveLength(1);
  });
});
