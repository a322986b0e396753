import { rmSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Chance } from "./chance.ts";
import type { Deployment } from "./deployment.ts";
import { faultsOf } from "./invariants.ts";
import type { Ledger } from "./ledger.ts";
import { startLoad } from "./load.ts";
import { replay, report } from "./rounds.ts";

/** A fault of the store that begins and ends. */
export interface StoreFault {
  /** The end of a sentence that starts with "a store that is …". */
  readonly name: string;
  begin(deployment: Deployment): Promise<void> | void;
  end(deployment: Deployment): Promise<void> | void;
}

/** Maximum deviation of a gateway's clock, in milliseconds. Two processes may therefore differ by 50 seconds. */
export const CLOCK_MOVES_MS = 25_000;

/** Returns a fault in which the gateways' clocks jump independently. */
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

/** A full disk, for SQLite. */
export const fullDisk: StoreFault = {
  name: "full",
  begin: ({ fullDiskFile }) => writeFileSync(fullDiskFile, ""),
  end: ({ fullDiskFile }) => rmSync(fullDiskFile),
};

const REPLAYED = 24;

/**
 * Causes each fault several times under load, in turn, each for at most a second. Returns the faults of the first
 * failed check.
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
