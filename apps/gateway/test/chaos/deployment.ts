import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { developmentToken, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import type { SubmissionRecord } from "../../src/store/record.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { type ChaosInsurer, type Manner, startChaosInsurer } from "./chaos-insurer.ts";
import type { Place } from "./place.ts";
import { CLOCK_FILE, createReplica, FULL_DISK_FILE, type Replica } from "./replica.ts";

/** The gateway as it is run in earnest: processes behind a load balancer, a store and an insurer. */
export interface Deployment {
  readonly place: Place;
  /** The load balancer's. */
  readonly address: string;
  readonly token: string;
  readonly balancer: Balancer;
  readonly insurer: ChaosInsurer;
  readonly replicas: readonly [Replica, ...Replica[]];
  /** The data folder of the first replica. */
  readonly dataFolder: string;
  /** The files that say how far the clock of each replica is ahead. */
  readonly clockFiles: readonly string[];
  /** SQLite has no space while this file exists. */
  readonly fullDiskFile: string;
  /** Every submission that is kept. */
  records(): Promise<readonly SubmissionRecord[]>;
  /** Ends all of it, whatever state it is in, and removes its folder. */
  close(): Promise<void>;
}

/** The gateway gives a submission this long; its lease is 15 seconds longer. */
export const SUBMISSION_MS = 3_000;

/** Starts one, with an insurer of these manners; `more` goes over its configuration. */
export async function deploy(
  place: Place,
  mannerOf: (afm: string) => Manner,
  more: object = {},
): Promise<Deployment> {
  const closings: (() => Promise<void> | void)[] = [];
  const close = (): Promise<void> => closeAll(closings);
  try {
    const folder = makeGatewayFolder();
    const released = guardFolder(folder.path);
    closings.push(released, () => folder.remove());
    const insurer = await startChaosInsurer(join(folder.path, "arrivals.jsonl"), mannerOf);
    closings.push(() => insurer.close());
    folder.writeConfiguration({ ...configurationFor(insurer.baseUrl), ...more });
    const token = await developmentToken(folder.path);
    const replicas = createReplicas(folder.path, place);
    closings.push(...replicas.map((replica) => () => replica.kill()));
    const balancer = await startBalancer(() => replicas.flatMap(({ address }) => address ?? []));
    closings.push(() => balancer.close());
    await Promise.all(replicas.map((replica) => replica.start()));
    const { address } = balancer;
    const records = (): Promise<readonly SubmissionRecord[]> =>
      place.records(join(folder.path, DATA));
    const clockFiles = dataFolders(place).map((data) => join(folder.path, data, CLOCK_FILE));
    const fullDiskFile = join(folder.path, FULL_DISK_FILE);
    const files = { dataFolder: join(folder.path, DATA), clockFiles, fullDiskFile };
    return { place, address, token, balancer, insurer, replicas, ...files, records, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Closes the newest first, and all of them even if one fails; throws the first error. */
async function closeAll(closings: (() => Promise<void> | void)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const closing of closings.splice(0).toReversed())
    try {
      await closing();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}

function configurationFor(insurerAddress: string): object {
  return {
    // A problem's type, and so a repeated answer, depends on the public address, not on the port of a process.
    reference: { address: "https://gateway.example" },
    providers: [
      {
        ...insurerConfiguration("d", insurerAddress),
        timeouts: { submissionMs: SUBMISSION_MS },
        // Nothing may prevent the sending of submissions, because the test watches their results.
        breaker: { failuresInRow: 10_000, leastCalls: 10_000 },
        callerLimit: { requests: 1_000_000 },
        // So few at the same time that callers are refused before anything is sent.
        bulkhead: { running: 8, queued: 1, queueMs: 50 },
      },
    ],
    // A busy machine must not keep submissions from being sent either.
    overload: { eventLoopDelayMs: 3_600_000, longestWaitMs: 3_600_000 },
    submissions: { keys: [{ id: "chaos", secret: { env: "SEALING_KEY" } }] },
  };
}

/** The data folder of the first replica, where `token` has made the development issuer. */
const DATA = "data";

function dataFolders({ replicas }: Place): readonly string[] {
  return Array.from({ length: replicas }, (_, index) =>
    index === 0 ? DATA : `${DATA}-${index + 1}`,
  );
}

/** Every replica has a data folder of its own, and all of them the same development issuer and encryption key. */
function createReplicas(folder: string, place: Place): readonly [Replica, ...Replica[]] {
  const environment = { ...place.environment, SEALING_KEY: randomBytes(32).toString("base64") };
  const create = (data: string): Replica => createReplica(folder, data, environment);
  const [, ...others] = dataFolders(place);
  for (const other of others) {
    mkdirSync(join(folder, other));
    const issuer = "development-issuer.json";
    copyFileSync(join(folder, DATA, issuer), join(folder, other, issuer));
  }
  return [create(DATA), ...others.map(create)];
}

/** Has the folder removed when this process ends before it has done so itself; gives how to end the watch. */
function guardFolder(path: string): () => void {
  // Again while a gateway that is ending still writes.
  const script = 'cat >/dev/null; for try in 1 2 3; do rm -rf -- "$1" && exit; sleep 1; done';
  const guard = spawn("sh", ["-c", script, "sh", path], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  return () => void guard.stdin.end();
}
