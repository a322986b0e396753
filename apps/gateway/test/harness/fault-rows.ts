import { randomUUID } from "node:crypto";
import { type FaultInjectingInsurer, insurerFaults } from "@insurance-gateway/testkit";
import { vi } from "vitest";
import type { TroubleName } from "../outcome-faults/fault-table.ts";
import { applicationBody } from "./applications.ts";
import {
  callOnce,
  type Kind,
  kinds,
  type Reading,
  requestOf,
  SEARCH_SEGMENT,
  submitOnce,
} from "./fault-calls.ts";
import { type HindranceName, hindrances } from "./fault-hindrances.ts";
import { startEveryKindInsurer } from "./fault-insurer.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "./gateway-in-process.ts";
import { holdTime } from "./held-time.ts";

/** The answer that a caller read, and the number of requests that the call caused at the insurer. */
export interface Measured extends Reading {
  readonly arrivals: number;
}

/** The customer of the specification's search. */
const SEARCHED_CUSTOMER = "123456789";

/** The results of all calls during one fault. */
export interface Row {
  /** The result of a call of each kind. The submission has an idempotency key. */
  readonly calls: Readonly<Record<Kind, Measured>>;
  /** The result of a submission of another customer without a key. */
  readonly unkeyed: Measured;
  /** The result of the repeated submission with the same key, after the insurer works again. */
  readonly again: Measured;
  /** Number of requests to the insurer that none of the calls in this row caused. */
  readonly strays: number;
  /** The customers whose data must not appear in any problem. */
  readonly customers: readonly string[];
}

/** Faults in which the insurer does not answer before the gateway's timeout. */
const lateTroubles: readonly TroubleName[] = ["silence", "slow-drip", "late-answer"];

/**
 * Faults whose results depend on time. The test stops the clock and the timers of the process for such a fault, so the
 * test measures only one such fault at a time. With a running clock, a timeout might pass before the request arrives on
 * a slow machine, or a used connection might become too old for the next submission.
 */
export const timedTroubles: readonly TroubleName[] = ["keep-alive-closed", ...lateTroubles];

/**
 * Faults that end only with the gateway's timeout, which is therefore short. All other faults end before the gateway's
 * timeout.
 */
const endlessTroubles: readonly TroubleName[] = ["never-accepted", ...lateTroubles];
const soon = { connectMs: 500, totalMs: 1_000, submissionMs: 1_000 };
const late = { connectMs: 10_000, totalMs: 20_000, submissionMs: 20_000 };

/** Reports whether a fault prevents the connection to the insurer. */
export function isHindrance(trouble: TroubleName): trouble is HindranceName {
  return trouble in hindrances;
}

/** Returns the end of a sentence that starts with "the insurer …". */
export function describeTrouble(trouble: TroubleName): string {
  return isHindrance(trouble)
    ? hindrances[trouble].description
    : insurerFaults[trouble].description;
}

/** Calls every kind through a separate gateway during one fault. */
export async function measureRow(trouble: TroubleName): Promise<Row> {
  const insurer = await startEveryKindInsurer();
  const hindered = isHindrance(trouble) ? await hindrances[trouble].hinder(insurer) : null;
  const baseUrl = hindered?.baseUrl ?? insurer.baseUrl;
  const gateway = await startGatewayBefore(
    baseUrl,
    endlessTroubles.includes(trouble) ? soon : late,
  );
  const measured: Measured[] = [];
  let row: Omit<Row, "strays">;
  if (timedTroubles.includes(trouble))
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    row = await callEveryKind({ trouble, insurer, gateway, measured });
  } finally {
    vi.useRealTimers();
    await gateway.stop();
    await hindered?.close();
    await insurer.close();
  }
  const counted = measured.reduce((sum, { arrivals }) => sum + arrivals, 0);
  return { ...row, strays: insurer.arrivals().length - counted };
}

function startGatewayBefore(baseUrl: string, timeouts: object): Promise<GatewayInProcess> {
  const provider = (letter: string): object => ({
    ...insurerConfiguration(letter, baseUrl),
    timeouts,
    retries: { firstWaitMs: 1 },
  });
  const providers = [
    ...["a", "c", "d", "e"].map(provider),
    { ...provider("d"), segment: SEARCH_SEGMENT },
  ];
  // The clock does not advance, so that the gateway sends no reconciliation queries, which would count as arrivals.
  return startInProcess({ providers }, {}, { time: holdTime() });
}

/** The gateway, the insurer and the results of the calls during one fault. */
interface Scene {
  readonly trouble: TroubleName;
  readonly insurer: FaultInjectingInsurer;
  readonly gateway: GatewayInProcess;
  /** The results of all calls so far. */
  readonly measured: Measured[];
}

/** Sends the calls of all kinds at the same time. Only the submissions follow one after another. */
async function callEveryKind(scene: Scene): Promise<Omit<Row, "strays">> {
  const { gateway, insurer, trouble } = scene;
  if (!isHindrance(trouble)) await insurer.behave(trouble);
  const plain = (kind: Exclude<Kind, "submission">): Promise<Measured> =>
    meet(scene, kind, () => callOnce(gateway, kind));
  const [lookup, search, quote, document, submissions] = await Promise.all([
    plain("lookup"),
    plain("search"),
    plain("quote"),
    plain("document"),
    submitBoth(scene),
    lateTroubles.includes(trouble) ? passDeadlines(insurer) : undefined,
  ]);
  await insurer.behave(null);
  const { customers, keyed, repeat, unkeyed } = submissions;
  const calls = { lookup, search, quote, document, submission: keyed };
  return { calls, unkeyed, again: await repeat(), customers };
}

/**
 * Lets the timeouts pass twice: after one request of every kind has arrived, and after the second submission has
 * arrived.
 */
async function passDeadlines(insurer: FaultInjectingInsurer): Promise<void> {
  for (const requests of [kinds.length, kinds.length + 1]) {
    while (insurer.arrivals().length < requests) await insurer.nextArrival();
    vi.advanceTimersByTime(soon.totalMs);
  }
}

/**
 * Sends an application of one customer with a key, and after the answer another customer's application without a key.
 */
async function submitBoth(scene: Scene): Promise<{
  readonly unkeyed: Measured;
  readonly keyed: Measured;
  readonly repeat: () => Promise<Measured>;
  readonly customers: readonly string[];
}> {
  const customers = [SEARCHED_CUSTOMER, "111111111", "222222222"];
  const [, first, second] = customers;
  const submit = (customer: string | undefined, key: string | null): Promise<Reading> =>
    submitOnce(scene.gateway, applicationBody(customer), key);
  const key = randomUUID();
  const warmUp = (): Promise<Reading> => submit("333333333", randomUUID());
  const keyed = await meet(scene, "submission", () => submit(second, key), warmUp);
  const unkeyed = await meet(scene, "submission", () => submit(first, null), warmUp);
  const repeat = (): Promise<Measured> => measure(scene, "submission", () => submit(second, key));
  return { unkeyed, keyed, repeat, customers };
}

type MakeCall = () => Promise<Reading>;

/**
 * Measures a call during the fault. For a fault of a used connection, a successful call opens the connection before the
 * measured call.
 */
async function meet(
  scene: Scene,
  kind: Kind,
  call: MakeCall,
  warmUp: MakeCall = call,
): Promise<Measured> {
  if (scene.trouble === "keep-alive-closed") {
    // Only calls of the same kind use the same connections, so the next call uses the opened connection.
    const { answer, arrivals } = await measure(scene, kind, warmUp);
    if (!/^20[01]$/.test(answer) || arrivals !== 1)
      throw new Error(`The call before the fault got ${answer}`);
  }
  return measure(scene, kind, call);
}

async function measure(
  { insurer, measured }: Scene,
  kind: Kind,
  call: MakeCall,
): Promise<Measured> {
  const before = countArrivals(insurer, kind);
  const reading = { ...(await call()), arrivals: countArrivals(insurer, kind) - before };
  measured.push(reading);
  return reading;
}

function countArrivals(insurer: FaultInjectingInsurer, kind: Kind): number {
  const { method, path } = requestOf(kind);
  return insurer.arrivals().filter((arrival) => arrival.method === method && arrival.path === path)
    .length;
}
