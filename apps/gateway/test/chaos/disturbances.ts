import { rmSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Chance } from "./chance.ts";
import type { Deployment } from "./deployment.ts";
import { faultsOf } from "./invariants.ts";
import type { Ledger } from "./ledger.ts";
import { startLoad } from "./load.ts";
import { replay, report } from "./rounds.ts";

/** A temporary fault of a store. */
export interface StoreFault {
  /** Name of the fault, in the form "a store that is …". */
  readonly name: string;
  begin(deployment: Deployment): Promise<void> | void;
  end(deployment: Deployment): Promise<void> | void;
}

/** Maximum by which a gateway's clock is moved, in milliseconds. The clocks of two processes may differ by a minute. */
export const CLOCK_MOVES_MS = 25_000;

/** Returns the fault in which the clock of each gateway jumps by a different random time. */
export function movingClocks(chance: Chance): StoreFault {
  return {
    name: "read by a moving clock",
    begin({ clockFiles }) {
      for (const file of clockFiles)
        writeFileSync(file, String(Math.round(chance.between(-CLOCK_MOVES_MS, CLOCK_MOVES_MS))));
    },
    end: () => undefined,
  };
}

/** A full disk, for a store in SQLite. */
export const fullDisk: StoreFault = {
  name: "full",
  begin: ({ fullDiskFile }) => writeFileSync(fullDiskFile, ""),
  end: ({ fullDiskFile }) => rmSync(fullDiskFile),
};

const REPLAYED = 24;

/**
 * Causes each store fault several times under load, each time for at most a second. Returns the first contradictions
 * between the insurer's log, the store and the answers.
 */
export async function disturb(
  deployment: Deployment,
  ledger: Ledger,
  faults: readonly StoreFault[],
  rounds: number,
  chance: Chance,
): Promise<readonly string[]> {
  const load = startLoad(deployment, ledger, chance);
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const fault of faults) {
        await setTimeout(chance.between(50, 500));
        await fault.begin(deployment);
        await setTimeout(chance.between(50, 1_000));
        await fault.end(deployment);
        await replay(deployment, ledger, ledger.acknowledged().slice(-REPLAYED));
      }
      const found = await faultsOf(deployment, ledger);
      report(deployment, ledger, `faults of the store, round ${round} of ${rounds}`, found);
      if (found.length > 0) return found;
    }
    return [];
  } finally {
    await load.stop();
    for (const file of deployment.clockFiles) writeFileSync(file, "0");
  }
}
