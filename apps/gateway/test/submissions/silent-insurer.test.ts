import { expect, it, onTestFinished } from "vitest";
import { startListingGateway } from "./listing-gateway.ts";

it("the gateway queries an insurer for each submission until three queries in a row fail, and then every ten seconds", async () => {
  const gateway = await startListingGateway();
  onTestFinished(() => gateway.stop());
  gateway.insurer.behaviour = (response) => void response.destroy();
  const queriedAt: number[] = [];
  for (let second = 0; second < 30; second += 1) {
    // The first query of each submission is due two seconds after the submission.
    if ([0, 3, 6, 9].includes(second)) await gateway.submitInVain();
    const before = gateway.insurer.arrivals.length;
    await gateway.pass(1_000);
    const arrivals = gateway.insurer.arrivals.slice(before);
    queriedAt.push(...arrivals.map(() => second + 1));
  }
  expect(queriedAt).toEqual([2, 5, 8, 18, 28]);
});

it("the gateway sends a silent insurer a probe every ten seconds even while the circuit breaker is open", async () => {
  const gateway = await startListingGateway({ failuresInRow: 1, openMs: 300_000 });
  onTestFinished(() => gateway.stop());
  const list = gateway.insurer.behaviour;
  gateway.insurer.behaviour = (response) => void response.destroy();
  const { address } = await gateway.submitInVain();
  for (let second = 0; second < 30; second += 1) await gateway.pass(1_000);
  expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  gateway.insurer.behaviour = list;
  const before = gateway.insurer.arrivals.length;
  for (let second = 0; second < 30; second += 1) await gateway.pass(1_000);
  expect(gateway.insurer.arrivals.length).toBeGreaterThan(before);
});
