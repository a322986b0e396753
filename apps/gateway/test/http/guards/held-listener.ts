import { Readable } from "node:stream";
import { Refusal, refusalOf } from "@insurance-gateway/core/runtime";
import type { LimitsConfiguration } from "../../../src/configuration/file.ts";
import type { Certificate } from "../../../src/configuration/pem.ts";
import { configurationSchema } from "../../../src/configuration/schema.ts";
import { createEvents } from "../../../src/events.ts";
import {
  createListener,
  type ListenAddress,
  type Listener,
} from "../../../src/http/listener/listener.ts";
import { createLogger } from "../../../src/operator/logging/logger.ts";
import type { PipelineResult } from "../../../src/pipeline/facts.ts";
import { NO_FACTS } from "../../../src/pipeline/facts.ts";

/** The body of an answer as a whole or in pieces; a later piece may be a promise. */
type Pieces = readonly (string | Promise<string>)[];

/** A request that waits for the test to answer it. */
export interface HeldRequest {
  readonly path: string;
  /** Answers with a body; several pieces are sent one by one, like a document. */
  answer(...pieces: Pieces): void;
  /** Resolves when the connection has finished the answer: true if the whole answer was sent. */
  readonly leftWhole: Promise<boolean>;
}

/** A listener without a gateway: every request waits for the test, except for the paths `/now` and `/refused`. */
export interface HeldListener extends Listener {
  readonly address: string;
  /** Returns the next request that has arrived completely. */
  nextRequest(): Promise<HeldRequest>;
}

/** Settings of a test's listener; the other settings have their defaults. */
export interface HeldOptions {
  readonly limits?: Partial<LimitsConfiguration>;
  readonly idleMs?: number;
  readonly tls?: Certificate;
  readonly place?: Partial<ListenAddress>;
}

function unused(): never {
  throw new TypeError("Not used here");
}

/** Starts the listener on loopback, on any free port. */
export async function startHeldListener(options: HeldOptions = {}): Promise<HeldListener> {
  const defaults = configurationSchema.parse({
    providers: [{ package: "x", upstream: "sandbox" }],
  });
  const arrived: HeldRequest[] = [];
  let wake = (): void => {};
  const ended = new Map<string, (leftWhole: boolean) => void>();
  const listener = createListener({
    logger: createLogger({
      write(line) {
        const { callerGone, requestId } = JSON.parse(line);
        ended.get(requestId)?.(callerGone === false);
      },
    }),
    observation: createEvents(),
    uploads: {
      open() {
        throw new TypeError("Nothing here has files");
      },
    },
    pages: () => "https://gateway.example/reference/errors/",
    limits: () => ({ ...defaults.limits, ...options.limits }),
    trustedProxies: [],
    tls: options.tls ?? null,
    idleMs: () => options.idleMs ?? 60_000,
    longestCallMs: () => 60_000,
    takeSettings: () => ({
      value: { limits: defaults.limits, reference: null, findRoute: unused },
      release: () => {},
    }),
    pipeline: {
      async handle({ head: { url = "" }, id, readBody }) {
        if (url === "/now") return answered(["now"]);
        if (url === "/refused")
          return refused(new Refusal("OVERLOADED", { detail: "Too much to do." }));
        try {
          await readBody(null);
        } catch (error) {
          return refused(refusalOf(error));
        }
        return new Promise((resolve) => {
          const leftWhole = new Promise<boolean>((left) => ended.set(id, left));
          const answer = (...pieces: Pieces): void => resolve(answered(pieces));
          arrived.push({ path: url, answer, leftWhole });
          wake();
        });
      },
      refuse: unused,
    },
  });
  return {
    ...listener,
    address: await listener.listen({ host: "127.0.0.1", port: 0, ...options.place }),
    async nextRequest() {
      for (;;) {
        const request = arrived.shift();
        if (request !== undefined) return request;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function answered(pieces: Pieces): PipelineResult {
  const [only] = pieces;
  const isWhole = pieces.length === 1 && typeof only === "string";
  const headers = { "content-type": "text/plain" };
  const answer = { status: 200, headers, content: isWhole ? only : Readable.from(pieces) };
  return { answer, facts: NO_FACTS };
}

function refused(refusal: Refusal): PipelineResult {
  const answer = { status: 400, headers: {}, content: "refused", refusal };
  return { answer, facts: NO_FACTS };
}
