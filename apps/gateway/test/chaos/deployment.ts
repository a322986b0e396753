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

/** A complete deployment: gateway processes behind a load balancer, a store and an insurer. */
export interface Deployment {
  readonly place: Place;
  /** The load balancer's address. */
  readonly address: string;
  readonly token: string;
  readonly balancer: Balancer;
  readonly insurer: ChaosInsurer;
  readonly replicas: readonly [Replica, ...Replica[]];
  /** The data folder of the first gateway. */
  readonly dataFolder: string;
  /** The files that contain the deviation of each gateway's clock, in milliseconds. */
  readonly clockFiles: readonly string[];
  /** While this file exists, SQLite reports a full disk. */
  readonly fullDiskFile: string;
  /** Returns every stored submission. */
  records(): Promise<readonly SubmissionRecord[]>;
  /** Ends all processes regardless of their state, and removes the folder. */
  close(): Promise<void>;
}

/** The gateway's timeout for a submission, in milliseconds. The lease is 15 seconds longer. */
export const SUBMISSION_MS = 3_000;

/** Starts a deployment whose insurer has these reactions. `more` overrides settings of the configuration. */
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

/** Calls the functions in reverse order, all of them even if one fails. Throws the first error. */
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
    // A problem's type, and therefore a repeated answer, depends on the public address and not on a process's port.
    reference: { address: "https://gateway.example" },
    providers: [
      {
        ...insurerConfiguration("d", insurerAddress),
        timeouts: { submissionMs: SUBMISSION_MS },
        // The test watches the results of all submissions, so no limit may prevent one.
        breaker: { failuresInRow: 10_000, minCalls: 10_000 },
        callerLimit: { requests: 1_000_000 },
        // The limits are so low that the gateway refuses some calls before it sends anything.
        bulkhead: { running: 8, queued: 1, queueMs: 50 },
      },
    ],
    // A busy machine must not prevent submissions either.
    overload: { eventLoopDelayMs: 3_600_000, longestWaitMs: 3_600_000 },
    submissions: { keys: [{ id: "chaos", secret: { env: "SEALING_KEY" } }] },
  };
}

/** The data folder of the first gateway, where the command `token` has created the development issuer. */
const DATA = "data";

function dataFolders({ replicas }: Place): readonly string[] {
  return Array.from({ length: replicas }, (_, index) =>
    index === 0 ? DATA : `${DATA}-${index + 1}`,
  );
}

/** Creates gateways with separate data folders, and with the same development issuer and encryption key. */
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

/** Starts a process that removes the folder if this process dies. Returns a function that ends the guard. */
function guardFolder(path: string): () => void {
  // The guard tries again, because a gateway that is ending may still write.
  const script = 'cat >/dev/null; for try in 1 2 3; do rm -rf -- "$1" && exit; sleep 1; done';
  const guard = spawn("sh", ["-c", script, "sh", path], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  return () => void guard.stdin.end();
}
