import { optionFaults } from "../client/argument.ts";
import type { GatewayOptions } from "../client/options.ts";
import { ConfigurationError } from "../errors/index.ts";
import type { Problem } from "../errors/problem.ts";
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "../transport/transport.ts";
import { createFakePipeline, type FakeAnswer } from "./fake-pipeline.ts";
import { type SimulatedInsurer, type SimulatedRecord, startInsurer } from "./simulated-insurer.ts";
import { createVirtualTime, type FakeClock } from "./virtual-time.ts";

/** Options of a fake gateway. */
export interface FakeGatewayOptions {
  /** The simulated insurers: the `sandbox` of each provider's package. */
  readonly sandboxes: readonly SimulatedInsurer[];
  /** Initial time of the fake gateway's clock. Default: the real time. */
  readonly startsAt?: Date;
}

/** Request that a fake gateway received, with its answer. */
export interface FakeCall {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Value of the header `Idempotency-Key`; null without the header. */
  readonly key: string | null;
  /** Time of the request by the fake gateway's clock. */
  readonly at: Date;
  /** Status of the answer; null if the client received no answer. */
  readonly status: number | null;
  /** Problem of the answer; null for any other answer. */
  readonly problem: Problem | null;
}

/** Answers that the fake gateway loses. */
export interface LostAnswer {
  /**
   * Sender of the lost answer: the insurer, which answers the gateway (default), or the gateway, which answers the
   * client.
   */
  readonly from?: "insurer" | "gateway";
  /** Number of lost answers to submissions, including repeated submissions. Default: 1. */
  readonly times?: number;
}

/** Gateway in this process with simulated insurers behind it. It uses no port, no network and no real time. */
export interface FakeGateway {
  /** Options for `createGateway`. The fake gateway refuses calls with another token as UNAUTHENTICATED. */
  readonly options: GatewayOptions & { readonly token: string; readonly transport: Transport };
  readonly clock: FakeClock;
  /** All requests since the start, oldest first. */
  readonly calls: readonly FakeCall[];
  /** Loses the answer to the next submission after the insurer has carried out the submission. */
  loseNextAnswer(lost?: LostAnswer): void;
  /** Returns the records that an insurer has stored, oldest first. @param provider - the provider's id */
  records(provider: string): readonly SimulatedRecord[];
}

/**
 * Creates a fake gateway for the tests of an application. It answers like the real gateway with the same sandboxes and
 * default settings: the same answers, problems, outcomes and advice. It has no limits, quotas, circuit breaker or
 * tenants.
 * @throws ConfigurationError if an option is wrong
 */
export function fakeGateway(options: FakeGatewayOptions): FakeGateway {
  const faults = optionFaults(options, ["sandboxes", "startsAt"]);
  if (!Array.isArray(options.sandboxes) || options.sandboxes.length === 0)
    throw new ConfigurationError([
      ...faults,
      'sandboxes must be a list of sandboxes: import { sandbox } from "PACKAGE/sandbox", for each provider package',
    ]);
  if (faults.length > 0) throw new ConfigurationError(faults);
  const time = createVirtualTime(options.startsAt ?? new Date());
  const insurers = options.sandboxes.map(startInsurer);
  const calls: FakeCall[] = [];
  const lost = { insurer: 0, gateway: 0 };
  const takeLost = (from: keyof typeof lost): boolean => {
    if (lost[from] === 0) return false;
    lost[from] -= 1;
    return true;
  };
  const pipeline = createFakePipeline({
    token: TOKEN,
    time,
    insurers,
    isAnswerLost: () => takeLost("insurer"),
  });

  async function send(request: TransportRequest): Promise<TransportResponse> {
    if (request.signal?.aborted) throw new TransportError("connect", "cancelled");
    const { headers, method, signal, timeoutMs } = request;
    const { pathname, search } = new URL(request.url);
    const deadline = time.now() + timeoutMs;
    const call = {
      method,
      path: pathname + search,
      key: headers["idempotency-key"] ?? null,
      at: time.clock.now(),
    };
    try {
      const answer = await pipeline(request, { pathname, search }, async (instant) => {
        await time.until(Math.min(instant, deadline), signal);
        if (instant > deadline) throw new TransportError("wait", "timeout");
      });
      if (answer.isSubmission && takeLost("gateway"))
        throw new TransportError("wait", "failed", "ECONNRESET");
      calls.push({ ...call, status: answer.status, problem: answer.problem });
      return responseOf(answer);
    } catch (error) {
      calls.push({ ...call, status: null, problem: null });
      throw error;
    }
  }

  return {
    options: {
      baseUrl: "https://gateway.test",
      token: TOKEN,
      transport: { send, time, close: async () => {} },
    },
    clock: time.clock,
    calls,
    loseNextAnswer({ from = "insurer", times = 1 } = {}) {
      lost[from] += times;
    },
    records(provider) {
      const insurer = insurers.find(({ provider: { id } }) => id === provider);
      if (insurer === undefined)
        throw new ConfigurationError([`no sandbox belongs to ${provider}`]);
      return insurer.records();
    },
  };
}

const TOKEN = "token-of-the-fake-gateway";

function responseOf({ content, headers, status }: FakeAnswer): TransportResponse {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return {
    status,
    headers,
    body: {
      text: async () => new TextDecoder().decode(bytes),
      async *stream() {
        yield bytes;
      },
      discard() {},
    },
  };
}
