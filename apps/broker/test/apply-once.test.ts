import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGateway, type Problem, type Transport } from "@insurance-gateway/core";
import { type MotorApplication, providerD } from "@insurance-gateway/provider-d";
import { createApplication as examples } from "@insurance-gateway/provider-d/examples";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { applyOnce } from "../src/apply-once.ts";

const { request, response: received } = examples.privateCar ?? {};

type Reply = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

const done: Reply = [201, received];

function problem(status: number, parts: Partial<Problem>, headers = {}): Reply {
  return [
    status,
    { code: "X", ...parts },
    { "content-type": "application/problem+json", ...headers },
  ];
}

const unknown = (headers = {}): Reply =>
  problem(504, { outcome: "unknown", retry: "same_key" }, headers);
const refusedByGateway = problem(400, { outcome: "not_sent", retry: "never" });
const refusedByInsurer = problem(422, { outcome: "rejected", retry: "never" });
const actedUnseen = problem(502, { outcome: "executed", retry: "never" });

interface Sent {
  readonly key: unknown;
  readonly body: unknown;
}

/** A gateway with scripted answers, and the requests that it received. */
function scriptedTransport(script: readonly Reply[], sent: Sent[]): Transport {
  const replies = script.values();
  return {
    async send({ body = "", headers }) {
      sent.push({ key: headers["idempotency-key"], body: JSON.parse(String(body)) });
      const [status, answer, head = {}] = replies.next().value ?? [500, null];
      return {
        status,
        headers: head,
        body: {
          text: async () => JSON.stringify(answer),
          stream: async function* () {},
          discard: () => undefined,
        },
      };
    },
    close: async () => undefined,
  };
}

interface Broker {
  /** Every request that the gateway received. */
  readonly sent: readonly Sent[];
  readonly file: string;
  /** The files in the broker's folder. */
  readonly kept: () => readonly string[];
  /** One run of the program: the application's id, or the outcome of the error. */
  readonly run: (script: readonly Reply[], plate?: string) => Promise<unknown>;
}

function broker(): Broker {
  const folder = mkdtempSync(join(tmpdir(), "broker-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sent: Sent[] = [];
  const file = join(folder, "application-1.json");
  return {
    sent,
    file,
    kept: () => readdirSync(folder),
    run: (script, plate = "ΙΚΥ-1234") => {
      const transport = scriptedTransport(script, sent);
      const gateway = createGateway({ baseUrl: "http://gateway.example", token: "t", transport });
      return applyOnce(gateway.provider(providerD), file, bodyFor(plate)).then(
        ({ applicationId }) => applicationId,
        (error: unknown) => Reflect.get(Object(error), "outcome"),
      );
    },
  };
}

function bodyFor(plateNumber: string): MotorApplication {
  if (request === undefined) throw new TypeError("The example is gone");
  return { ...request.body, vehicle: { ...request.body.vehicle, plateNumber } };
}

describe("applying once", () => {
  it("keeps key and application until there is an answer, for this user alone", async () => {
    const { file, kept, run, sent } = broker();
    expect(await run([unknown(), unknown()])).toBe("unknown");
    expect(kept()).toEqual(["application-1.json"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // The next run is another process, on another day and so with another application of the same customer.
    expect(await run([done], "ΙΚΥ-9999")).toBe(received?.applicationId);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(sent.map(({ body }) => body)).toEqual(sent.map(() => bodyFor("ΙΚΥ-1234")));
    expect(kept()).toEqual([]);
  });

  it("makes a new key for the next application", async () => {
    const { run, sent } = broker();
    await run([done]);
    await run([done]);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });

  it.each<[string, readonly Reply[], string]>([
    ["the gateway refused it", [refusedByGateway], "not_sent"],
    ["the insurer refused it", [refusedByInsurer], "rejected"],
    ["the insurer refused it after all", [unknown(), refusedByInsurer], "rejected"],
  ])("releases it when %s", async (_, script, outcome) => {
    const { kept, run } = broker();
    expect(await run(script)).toBe(outcome);
    expect(kept()).toEqual([]);
  });

  it.each<[string, readonly (readonly Reply[])[], string]>([
    ["the second call never came to the insurer", [[unknown(), refusedByGateway]], "unknown"],
    [
      "the next run never came to the insurer",
      [[unknown(), unknown()], [refusedByGateway]],
      "not_sent",
    ],
    ["the insurer acted and its answer cannot be used", [[actedUnseen]], "executed"],
  ])("keeps it when %s", async (_, runs, outcome) => {
    const { kept, run } = broker();
    let last: unknown;
    for (const script of runs) last = await run(script);
    expect(last).toBe(outcome);
    expect(kept()).toEqual(["application-1.json"]);
  });
});

describe("the second call", () => {
  it("waits as long as the gateway asks for", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { run, sent } = broker();
    // Longer than the client waits by itself.
    const application = run([unknown({ "retry-after": "30" }), done]);
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(29_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(await application).toBe(received?.applicationId);
    expect(sent).toHaveLength(2);
  });

  it.each<[string, Reply]>([
    ["the wait is longer than anybody waits", unknown({ "retry-after": "31" })],
    ["it would end the same way", [404, "<h1>Not Found</h1>", { "content-type": "text/html" }]],
  ])("is left to the next run when %s", async (_, reply) => {
    const { kept, run, sent } = broker();
    expect(await run([reply, done])).toBe("unknown");
    expect(sent).toHaveLength(1);
    expect(kept()).toEqual(["application-1.json"]);
  });
});
