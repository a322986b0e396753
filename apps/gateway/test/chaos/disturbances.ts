import { rmSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Chance } from "./chance.ts";
import type { Deployment } from "./deployment.ts";
import { faultsOf } from "./invariants.ts";
import type { Ledger } from "./ledger.ts";
import { startLoad } from "./load.ts";
import { replay, report } from "./rounds.ts";

/** Something that happens to a store and ends. */
export interface StoreFault {
  /** Completes "a store that is …". */
  readonly name: string;
  begin(deployment: Deployment): Promise<void> | void;
  end(deployment: Deployment): Promise<void> | void;
}

/** How far a gateway's clock is moved at most; two processes may be a minute apart. */
export const CLOCK_MOVES_MS = 25_000;

/** The clocks of the gateways jump, each by itself. */
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

/** A disk without space, for SQLite. */
export const fullDisk: StoreFault = {
  name: "full",
  begin: ({ fullDiskFile }) => writeFileSync(fullDiskFile, ""),
  end: ({ fullDiskFile }) => rmSync(fullDiskFile),
};

const REPLAYED = 24;

/** Causes each fault a number of times, in turn, under load, each for a second at most; returns the first faults. */
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
