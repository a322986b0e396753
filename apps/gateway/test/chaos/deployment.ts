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

/** A complete installation: gateway processes behind a load balancer, a store and an insurer. */
export interface Deployment {
  readonly place: Place;
  /** Address of the load balancer. */
  readonly address: string;
  readonly token: string;
  readonly balancer: Balancer;
  readonly insurer: ChaosInsurer;
  readonly replicas: readonly [Replica, ...Replica[]];
  /** The data folder of the first gateway. */
  readonly dataFolder: string;
  /** Paths of the files that contain the time by which each replica's clock is ahead. */
  readonly clockFiles: readonly string[];
  /** File that makes SQLite's disk full while the file exists. */
  readonly fullDiskFile: string;
  /** Returns all stored submissions. */
  records(): Promise<readonly SubmissionRecord[]>;
  /** Ends all processes, and removes the deployment's folder. */
  close(): Promise<void>;
}

/** Deadline of a submission at the gateway, in milliseconds. The lease is 15 seconds longer. */
export const SUBMISSION_MS = 3_000;

/**
 * Starts a deployment. The function `mannerOf` decides the insurer's reactions; `more` overrides the gateways'
 * configuration.
 */
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

/** Runs all functions, the last one first, even if one fails; throws the first error. */
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
    // Stored problems contain the public address, which must not be the address of one process.
    reference: { address: "https://gateway.example" },
    providers: [
      {
        ...insurerConfiguration("d", insurerAddress),
        timeouts: { submissionMs: SUBMISSION_MS },
        // No circuit breaker may stop submissions, because the test checks their results.
        breaker: { failuresInRow: 10_000, minCalls: 10_000 },
        callerLimit: { requests: 1_000_000 },
        // The bulkhead is small, so that the gateway refuses some submissions before anything is sent.
        bulkhead: { running: 8, queued: 1, queueMs: 50 },
      },
    ],
    // The gateway must not shed load on a busy machine.
    overload: { eventLoopDelayMs: 3_600_000, longestWaitMs: 3_600_000 },
    submissions: { keys: [{ id: "chaos", secret: { env: "SEALING_KEY" } }] },
  };
}

/** Data folder of the first replica, in which the command `token` has created the development issuer. */
const DATA = "data";

function dataFolders({ replicas }: Place): readonly string[] {
  return Array.from({ length: replicas }, (_, index) =>
    index === 0 ? DATA : `${DATA}-${index + 1}`,
  );
}

/** Creates replicas with separate data folders, and with the same development issuer and encryption key. */
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

/** Starts a guard process that removes a folder when this process ends. Returns a function that stops the guard. */
function guardFolder(path: string): () => void {
  // The script tries three times, because a gateway that is ending may still write into the folder.
  const script = 'cat >/dev/null; for try in 1 2 3; do rm -rf -- "$1" && exit; sleep 1; done';
  const guard = spawn("sh", ["-c", script, "sh", path], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  return () => void guard.stdin.end();
}
