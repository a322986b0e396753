import { setTimeout } from "node:timers/promises";
import { forEachAtOnce } from "./at-once.ts";
import { type Answer, submitUntil } from "./callers.ts";
import { type Chance, createChance } from "./chance.ts";
import type { Manner } from "./chaos-insurer.ts";
import type { Deployment } from "./deployment.ts";
import { faultsOf } from "./invariants.ts";
import type { Acknowledged, Ledger } from "./ledger.ts";
import { startLoad } from "./load.ts";
import type { Replica } from "./replica.ts";

/** A run of several rounds with kills. */
export interface Run {
  readonly deployment: Deployment;
  readonly ledger: Ledger;
  readonly rounds: number;
  readonly seed: number;
}

/** Number of rounds between two checks and progress lines. */
const LOOK_EVERY_ROUNDS = 10;
/** Maximum of printed faults of one check. The test prints all faults at the end. */
const FAULTS_SHOWN = 5;
/** Number of the newest answers that callers request again after each kill. */
const REPLAYED_AFTER_KILL = 24;

/**
 * Kills and restarts a gateway at a random moment of each round, under load. Returns the faults of the first failed
 * check.
 */
export async function runRounds({
  deployment,
  ledger,
  rounds,
  seed,
}: Run): Promise<readonly string[]> {
  const chance = createChance(seed);
  const load = startLoad(deployment, ledger, createChance(seed + 1));
  const begin = Date.now();
  try {
    for (let round = 1; round <= rounds; round++) {
      await setTimeout(chance.between(50, 1_500));
      const acknowledged = await killOne(deployment, ledger, chance);
      await replay(deployment, ledger, acknowledged.slice(-REPLAYED_AFTER_KILL));
      if (round % LOOK_EVERY_ROUNDS !== 0 && round !== rounds) continue;
      const faults = await faultsOf(deployment, ledger);
      report(deployment, ledger, `round ${round} of ${rounds}, ${secondsSince(begin)} s`, faults);
      if (faults.length > 0) return faults;
    }
    return [];
  } finally {
    await load.stop();
  }
}

/** Kills a gateway and starts it again. Returns the final answers that callers had before the restart. */
async function killOne(
  { replicas }: Deployment,
  ledger: Ledger,
  chance: Chance,
): Promise<readonly Acknowledged[]> {
  const victim = oneOf(replicas, chance);
  await victim.kill();
  const acknowledged = ledger.acknowledged();
  await victim.start();
  return acknowledged;
}

function oneOf(replicas: Deployment["replicas"], chance: Chance): Replica {
  return replicas[Math.floor(chance.next() * replicas.length)] ?? replicas[0];
}

/** Requests final answers again, and waits while the store is unavailable. */
export async function replay(
  deployment: Deployment,
  ledger: Ledger,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  await forEachAtOnce(acknowledged, async ({ application }) => {
    const isStoreBack = ({ code }: Answer): boolean =>
      code !== "STORE_UNAVAILABLE" && code !== "OVERLOADED";
    ledger.note(application, await submitUntil(isStoreBack, deployment, application));
  });
}

/** Prints the progress of a run. */
export function report(
  { insurer, place }: Deployment,
  ledger: Ledger,
  text: string,
  faults: readonly string[],
): void {
  const arrivals = insurer.arrivals().length;
  const told = ledger.acknowledged().length;
  process.stderr.write(
    `chaos ${place.name}: ${text}: ${arrivals} arrivals, ${told} acknowledged, ${ledger.open} open, ${faults.length} faults\n`,
  );
  for (const fault of faults.slice(0, FAULTS_SHOWN)) process.stderr.write(`  ${fault}\n`);
}

function secondsSince(begin: number): number {
  return Math.round((Date.now() - begin) / 1_000);
}

/**
 * Returns a function that draws the insurer's reaction to a customer's application. The same seed gives the same
 * reactions.
 */
export function drawManners(seed: number): (afm: string) => Manner {
  return (afm) => {
    const chance = createChance(seed ^ Number(afm));
    const draw = chance.next();
    if (draw < 0.5) return { does: "answers", afterMs: chance.between(0, 80) };
    if (draw < 0.75) return { does: "answers", afterMs: chance.between(80, 800) };
    // The insurer executes the application after the gateway's timeout.
    if (draw < 0.78) return { does: "answers", afterMs: chance.between(3_500, 6_000) };
    if (draw < 0.81) return { does: "resets", afterMs: chance.between(0, 300) };
    if (draw < 0.84) return { does: "times-out", afterMs: chance.between(0, 300) };
    return { does: "refuses", afterMs: chance.between(0, 300) };
  };
}
