import type { Adapter } from "@insurance-gateway/adapter";
import { type Lookup, lookup } from "@insurance-gateway/core/contract";
import { loose, strict, text } from "@insurance-gateway/core/schema";
import { createTransport } from "@insurance-gateway/core/transport";
import { providerD } from "@insurance-gateway/provider-d";
import { expect, it, onTestFinished } from "vitest";
import type { ProviderConfiguration } from "../../src/configuration/file.ts";
import { unobserved } from "../../src/events.ts";
import { createAnswerBudget } from "../../src/insurers/exchange/answer-budget.ts";
import { createInsurer } from "../../src/insurers/insurer.ts";
import { json, startInsurer } from "../harness/insurer.ts";

const models = loose({});
const one = strict({ id: text(20) });

/** Opens an insurer. Each transport finishes closing when the test resolves the transport's promise in `closings`. */
async function openInsurer() {
  const server = await startInsurer(json(200, []));
  onTestFinished(() => server.close());
  const adapter: Adapter = {
    name: "x",
    failures: [],
    async call(_, __, send) {
      const { status } = await send({ method: "POST", path: "/" });
      return { type: "refusal", status, mediaType: "application/json", content: {} };
    },
  };
  const closings: PromiseWithResolvers<void>[] = [];
  const limits = {
    timeouts: { connectMs: 5_000, totalMs: 10_000, submissionMs: 10_000 },
    answers: { jsonBytes: 1_000, documentBytes: 1_000, staleHours: 0 },
    compare: { except: [] },
  };
  // `createInsurer` needs no other settings.
  const settings = {
    ...limits,
    retries: { attempts: 1, firstWaitMs: 1, longestWaitMs: 1, budgetPercent: 0 },
    bulkhead: { running: 1, queued: 0, queueMs: 1 },
    callerLimit: { requests: 1, windowSeconds: 1 },
    failures: [],
  } as unknown as ProviderConfiguration;
  const { baseUrl } = server;
  const installed = {
    provider: providerD,
    adapter,
    settings,
    folder: "",
    segment: "d",
    upstream: { baseUrl, credentials: [], tls: {} },
    insurerSettings: null,
  };
  const insurer = createInsurer(installed, true, {
    observation: unobserved,
    logger: { error: () => undefined, info: () => undefined, warn: () => undefined },
    received: () => undefined,
    now: () => 0,
    recovered: () => undefined,
    readAccount: async () => null,
    maintainedMs: () => 0,
    answerBudget: createAnswerBudget(() => 1_000_000_000),
    openTransport() {
      const closing = Promise.withResolvers<void>();
      const transport = createTransport({ connectTimeoutMs: 1_000, origins: [baseUrl] });
      return {
        ...transport,
        async close() {
          closings.push(closing);
          await transport.close();
          await closing.promise;
        },
      };
    },
  });
  const open = (connections: number) =>
    insurer.open(
      installed,
      {
        ...limits,
        adapter,
        settings: {},
        baseUrl,
        credentials: [],
        tls: {},
        connections,
        sandbox: true,
      },
      new Map(),
    );
  return { closings, insurer, open };
}

/** Returns whether a promise is settled after all ready work has run. */
async function stateOf(promise: Promise<unknown>): Promise<"pending" | "settled"> {
  const turn = new Promise<"pending">((resolve) => setImmediate(resolve, "pending"));
  return Promise.race([promise.then(() => "settled" as const), turn.then(() => turn)]);
}

it("a change of an insurer's settings closes only the connections that the new settings do not use", async () => {
  const { closings, insurer, open } = await openInsurer();
  const [first, same, other] = [open(1), open(1), open(2)];
  await first.close();
  expect(closings).toHaveLength(0);
  const closed = same.close();
  expect(closings).toHaveLength(1);
  expect(await stateOf(closed)).toBe("pending");
  closings[0]?.resolve();
  await closed;
  const last = other.close();
  expect(closings).toHaveLength(2);
  closings[1]?.resolve();
  await last;
  await insurer.close();
});

it("a call that fails before its request is sent reports no wait for the insurer", async () => {
  const { insurer, open } = await openInsurer();
  onTestFinished(() => insurer.close());
  const provider = "provider-d";
  const endpoint: Lookup<{ params: unknown; response: unknown }> = lookup({
    provider,
    path: "/models/{id}",
    params: one,
    response: { 200: models },
  });
  const waits: number[] = [];
  const call = (): Promise<unknown> =>
    open(1).call(endpoint, {
      account: "default",
      requestId: "request",
      traceHeaders: {},
      scenario: undefined,
      waited: (milliseconds) => void waits.push(milliseconds),
      input: { params: { other: "1" }, query: {}, headers: {}, body: undefined },
      callerGone: null,
      submissionId: null,
    });
  await expect(call()).rejects.toThrow("The path parameter id is missing");
  expect(waits).toEqual([]);
});
