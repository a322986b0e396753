import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { hindrances } from "../harness/fault-hindrances.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import type { ApplicationContent, Kind } from "./book.ts";
import { type Caller, type Place, read, segmentOf, submit } from "./calls.ts";
import type { Fault } from "./fault.ts";
import { startRawInsurer } from "./insurer.ts";
import {
  type ReadCase,
  readContradictions,
  sharedIdentifiers,
  submissionContradictions,
} from "./oracle.ts";

/** The results of one fault. */
export interface Verdicts {
  /** Contradictions between the callers' results of submissions and the insurer's log. */
  readonly submissions: readonly string[];
  /** Contradictions between the callers' results of other calls and the insurer's log. */
  readonly reads: readonly string[];
  /** The first outcome of the submission under the fault; `success` for a 2xx. */
  readonly outcome: string;
  /** True if the insurer executed the submission under the fault. */
  readonly acted: boolean;
}

/** The delays of reconciliation queries, and the delay until absence is a proof, in milliseconds. */
const RECONCILIATION_WAITS = [2_000, 30_000, 150_000];

/**
 * Starts a gateway for the insurers of some faults, each at a separate segment. Makes all calls, then compares results
 * with the insurers' logs.
 * @param first - number of the first fault in the whole list, so that no two insurers use the same identifier
 */
export async function runFaults(
  faults: readonly Fault[],
  first: number,
): Promise<readonly Verdicts[]> {
  const time = holdTime();
  const sites = await Promise.all(
    faults.map((fault, index) => openSite(fault, first + index, time)),
  );
  const gateway = await startInProcess(
    {
      providers: sites.flatMap(({ providers }) => providers),
      // The clock does not advance during the queries, so a lower limit would stop the queries.
      submissions: { queriesPerSecond: 1_000 },
    },
    {},
    { time },
  );
  try {
    const scenes = await Promise.all(sites.map((site) => playFault(gateway, site)));
    await Promise.all(sites.map(({ insurer }) => insurer.actedLate()));
    for (const milliseconds of RECONCILIATION_WAITS) {
      time.forward(milliseconds);
      await time.tick();
    }
    await Promise.all(scenes.map((scene) => playAftermath(gateway, scene)));
    return scenes.map(judge);
  } finally {
    await gateway.stop();
    await Promise.all(sites.map((site) => site.close()));
  }
}

/** A fault, and the insurer that has the fault. */
interface Site extends Place {
  readonly fault: Fault;
  readonly providers: readonly object[];
  close(): Promise<void>;
}

/** Short timeouts, for a fault after which the call would wait forever. */
const soon = { connectMs: 500, totalMs: 800, submissionMs: 1_000 };
/** Timeouts for a fault with a certain result. The result must be the same on a busy machine. */
const late = { connectMs: 10_000, totalMs: 14_000, submissionMs: 14_000 };
const manyFailures = { failuresInRow: 10_000, minCalls: 10_000 };

async function openSite(fault: Fault, number: number, time: HeldTime): Promise<Site> {
  const insurer = await startRawInsurer(`D${number}`, () => time.now());
  const hindered =
    fault.way === "never accepted"
      ? await hindrances["never-accepted"].hinder({ baseUrl: insurer.baseUrls.submission })
      : null;
  const addressOf = (kind: Kind): string => {
    const baseUrl = insurer.baseUrls[kind];
    switch (fault.way) {
      case "no address":
        // No part of a host name may have more than 63 letters, so the system queries no name server for this name.
        return `http://${"x".repeat(64)}.invalid`;
      case "refused":
        // No server listens on port 1.
        return "http://127.0.0.1:1/api";
      case "never accepted":
        return hindered?.baseUrl ?? baseUrl;
      case "https":
        return baseUrl.replace("http:", "https:");
      default:
        return baseUrl;
    }
  };
  const provider = (letter: string, kind: Kind): object => ({
    ...insurerConfiguration(letter, addressOf(kind)),
    segment: segmentOf(kind, number),
    timeouts: fault.certain === undefined || fault.way !== undefined ? soon : late,
    breaker: manyFailures,
    retries: { attempts: 2, firstWaitMs: 1 },
    ...fault.provider,
  });
  return {
    fault,
    number,
    insurer,
    providers: [
      provider("d", "submission"),
      provider("d", "search"),
      provider("a", "lookup"),
      provider("c", "document"),
    ],
    async close() {
      await hindered?.close();
      await insurer.close();
    },
  };
}

/** The calls that were made under one fault. */
interface Scene extends Site {
  readonly submissions: readonly Caller[];
  readonly reads: readonly ReadCase[];
  /** The caller whose outcome is reported. */
  readonly main: Caller;
}

async function playFault(gateway: GatewayInProcess, site: Site): Promise<Scene> {
  const { fault, insurer, number } = site;
  const callers: Caller[] = [];
  const newCaller = async (): Promise<Caller> => {
    const afm = String(100_000_000 + number * 100 + callers.length);
    const caller = {
      sent: applicationOf(afm),
      token: await gateway.tokenFor(afm),
      told: [],
      states: [],
      addresses: new Map(),
    };
    callers.push(caller);
    return caller;
  };
  const underFault = async (caller: Caller, key: string): Promise<void> => {
    if (fault.before !== undefined) {
      insurer.behave(fault.before);
      await submit(gateway, site, await newCaller(), randomUUID(), "the submission before");
      await wait(fault.idleMs ?? 0);
    }
    insurer.behave(fault.conduct);
    const turn = insurer.nextTurn();
    const other = fault.together === true ? [await newCaller()] : [];
    await Promise.all([
      submit(gateway, site, caller, key, "a submission", { turn }),
      ...other.map((one) =>
        submit(gateway, site, one, randomUUID(), "the submission at the same time", { turn }),
      ),
    ]);
    insurer.behave(null);
  };

  insurer.behave(fault.conduct);
  // Each kind of call has a separate address, so the test can make calls of all kinds in one turn.
  const readTurn = insurer.nextTurn();
  const reads = fault.kinds
    .filter((kind) => kind !== "submission")
    .map((kind) => read(gateway, site, kind, readTurn));
  const readCases = await Promise.all(reads);

  const patient = await newCaller();
  const key = randomUUID();
  await underFault(patient, key);
  const repeat = fault.repeat ?? "as before";
  await submit(gateway, site, patient, key, `the same key again ${repeat}`, { repeat });

  const hasty = await newCaller();
  const firstKey = randomUUID();
  await underFault(hasty, firstKey);
  if (hasty.told.at(-1)?.outcome !== "not_sent")
    await submit(gateway, site, hasty, firstKey, `the same key again ${repeat}`, { repeat });
  if (hasty.told.at(-1)?.outcome === "not_sent")
    await submit(gateway, site, hasty, randomUUID(), "after not_sent, a new key");
  return { ...site, submissions: callers, reads: readCases, main: patient };
}

/** Reads the states of all submissions, and sends each key once more. */
async function playAftermath(gateway: GatewayInProcess, scene: Scene): Promise<void> {
  for (const caller of scene.submissions) {
    for (const [key, address] of caller.addresses) {
      const response = await fetch(gateway.address + address, {
        headers: { authorization: `Bearer ${caller.token}` },
      });
      const { insurerId, state }: { insurerId?: unknown; state?: unknown } = {
        ...Object(await response.json()),
      };
      // A submission that was not sent, or whose content is free again, has no state.
      if (response.status === 200)
        caller.states.push({
          key,
          state: String(state),
          insurerId: typeof insurerId === "string" ? insurerId : null,
        });
    }
    // A repeated request with a key that has no submission would create a submission.
    const last = caller.told.at(-1);
    if (last?.key != null && last.outcome !== "not_sent")
      await submit(gateway, scene, caller, last.key, "the same key after the reconciliation");
  }
}

function judge({ insurer, main, reads, submissions }: Scene): Verdicts {
  const [first] = main.told;
  const { receipts } = insurer;
  return {
    submissions: [
      ...submissions.flatMap((caller) => submissionContradictions(caller, receipts)),
      ...sharedIdentifiers(submissions),
    ],
    reads: reads.flatMap((one) => readContradictions(one, receipts)),
    outcome: first?.outcome ?? (first?.status === 201 ? "success" : String(first?.status)),
    acted: receipts.some(
      ({ carriedOut, turn }) =>
        turn === first?.turn && carriedOut?.holder.afm === main.sent.holder.afm,
    ),
  };
}

function applicationOf(afm: string): ApplicationContent {
  return {
    policy: { startDate: "2026-12-01", endDate: "2027-12-01" },
    vehicle: { plateNumber: "ΙΚΥ-1234", manufacturerCode: "TOY", modelCode: "YARIS" },
    holder: { afm, fullName: "Ελένη Παπαδοπούλου" },
  };
}
