import { afterEach, expect, it } from "vitest";
import { settleEverything } from "./aftermath.ts";
import { contentRounds, createChance, faultRounds, roundsToRun, seedOfRun } from "./chance.ts";
import type { Manner } from "./chaos-insurer.ts";
import { type Deployment, deploy } from "./deployment.ts";
import { disturb, movingClocks } from "./disturbances.ts";
import { createLedger } from "./ledger.ts";
import { runNamedPoints } from "./named-points.ts";
import { submitAtOnce } from "./one-key.ts";
import type { Place, PlaceUse } from "./place.ts";
import { drawManners, runRounds } from "./rounds.ts";
import {
  createGates,
  sameContentWays,
  sendDifferentKeys,
  sendEqualRequests,
} from "./same-content.ts";

/** Defines the chaos tests for one kind of store. */
export function chaosTests(open: (use: PlaceUse) => Promise<Place>): void {
  let deployment: Deployment | undefined;
  const start = async (
    mannerOf: (afm: string) => Manner,
    use: PlaceUse = { isBroken: false },
  ): Promise<Deployment> => {
    deployment = await deploy(await open(use), mannerOf);
    return deployment;
  };
  afterEach(async () => {
    await deployment?.close();
    deployment = undefined;
  });

  it("the insurer receives one submission if a caller sends 50 simultaneous requests with the same idempotency key", async () => {
    await submitAtOnce(await start(() => ({ does: "answers", afterMs: 300 })));
  });

  it("no submission is lost or sent twice if the gateway is killed at each step of a submission", async () => {
    await runNamedPoints(await start(() => ({ does: "answers", afterMs: 20 })));
  });

  it.each(sameContentWays)(
    "the insurer executes an application once if six equal requests arrive at once: %s",
    async (way) => {
      const started = await start(() => ({ does: "answers", afterMs: 40 }));
      await sendEqualRequests(started, way, contentRounds());
    },
  );

  it("the gateway sends only one of six simultaneous requests with the same content and different idempotency keys", async () => {
    const gates = createGates();
    const started = await start((afm) => ({
      does: "answers",
      afterMs: 0,
      until: gates.of(afm).promise,
    }));
    await sendDifferentKeys(started, contentRounds(), gates);
  });

  it("no submission is lost or sent twice while the store fails and the gateways' clocks jump", async () => {
    const [rounds, seed] = [faultRounds(), seedOfRun()];
    const started = await start(drawManners(seed), { isBroken: true });
    const { faults, name } = started.place;
    process.stderr.write(
      `chaos ${name}: ${rounds} rounds of faults; CHAOS_SEED=${seed} repeats them\n`,
    );
    const ledger = createLedger();
    const chance = createChance(seed);
    const all = [...faults, movingClocks(chance)];
    expect(await disturb(started, ledger, all, rounds, chance)).toEqual([]);
    // The test proves something only if the store's faults made the gateway refuse some requests.
    const problems = [...ledger.problems.keys()].join();
    expect(problems).toContain("STORE_UNAVAILABLE");
    expect(await settleEverything(started, ledger)).toEqual([]);
    expect(ledger.open).toBe(0);
  });

  it("no submission is lost or sent twice if gateways are killed at random moments", async () => {
    const [rounds, seed] = [roundsToRun(), seedOfRun()];
    const started = await start(drawManners(seed));
    process.stderr.write(
      `chaos ${started.place.name}: ${rounds} rounds; CHAOS_SEED=${seed} repeats them\n`,
    );
    const ledger = createLedger();
    expect(await runRounds({ deployment: started, ledger, rounds, seed })).toEqual([]);
    expect(await settleEverything(started, ledger)).toEqual([]);
    expect(ledger.open).toBe(0);
  });
}
