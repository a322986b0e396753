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

/** Options of a run in which gateways are killed. */
export interface Run {
  readonly deployment: Deployment;
  readonly ledger: Ledger;
  readonly rounds: number;
  readonly seed: number;
}

/** Number of rounds between two checks. Each check also prints the progress. */
const ROUNDS_BETWEEN_CHECKS = 10;
/** Maximum of faults in a progress line. At the end of the test, all faults are printed. */
const MAX_FAULTS_SHOWN = 5;
/** Number of the newest answers that are requested again after a kill. At the end, all answers are requested again. */
const REPLAYED_AFTER_KILL = 24;

/** Kills and restarts a gateway at a random moment of each round, under load. Returns the first faults. */
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
      if (round % ROUNDS_BETWEEN_CHECKS !== 0 && round !== rounds) continue;
      const faults = await faultsOf(deployment, ledger);
      report(deployment, ledger, `round ${round} of ${rounds}, ${secondsSince(begin)} s`, faults);
      if (faults.length > 0) return faults;
    }
    return [];
  } finally {
    await load.stop();
  }
}

/** Kills and restarts a gateway. Returns all final answers that callers had received before the kill. */
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

/** Requests final answers again. Repeats a request that fails because the store cannot be read. */
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
  for (const fault of faults.slice(0, MAX_FAULTS_SHOWN)) process.stderr.write(`  ${fault}\n`);
}

function secondsSince(begin: number): number {
  return Math.round((Date.now() - begin) / 1_000);
}

/**
 * Returns a function that draws the insurer's reaction to each customer's application. The reactions depend only on the
 * seed.
 */
export function drawManners(seed: number): (afm: string) => Manner {
  return (afm) => {
    const chance = createChance(seed ^ Number(afm));
    const draw = chance.next();
    if (draw < 0.5) return { does: "answers", afterMs: chance.between(0, 80) };
    if (draw < 0.75) return { does: "answers", afterMs: chance.between(80, 800) };
    // The insurer executes the application after the gateway's deadline.
    if (draw < 0.78) return { does: "answers", afterMs: chance.between(3_500, 6_000) };
    if (draw < 0.81) return { does: "resets", afterMs: chance.between(0, 300) };
    if (draw < 0.84) return { does: "times-out", afterMs: chance.between(0, 300) };
    return { does: "refuses", afterMs: chance.between(0, 300) };
  };
}
