import { expect, it, onTestFinished } from "vitest";
import { crossedAnswers, startTwoBrokers } from "../accounts/crossed-answers.ts";
import { startRepeatingInsurer } from "../accounts/repeating-insurer.ts";
import { roundsToRun, seedOfRun } from "./chance.ts";

/** Number of searches in a round. With 10 requests for documents, 200 rounds have 10,000 calls. */
const SEARCHES = 40;
/** Number of document requests in a round. */
const DOCUMENTS = 10;

it("two brokers receive only their own customers' lists and documents if the insurer repeats or delays its answers", async () => {
  const seed = seedOfRun();
  const insurer = await startRepeatingInsurer(seed, { late: 0.3, twice: 0.5 });
  onTestFinished(() => insurer.close());
  const brokers = await startTwoBrokers(insurer);
  onTestFinished(() => brokers.stop());
  const rounds = roundsToRun();
  const crossed: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round * (SEARCHES + DOCUMENTS);
    const calls = { first, searches: SEARCHES, documents: DOCUMENTS };
    crossed.push(...(await crossedAnswers(brokers, calls)));
  }
  const calls = rounds * (SEARCHES + DOCUMENTS);
  process.stderr.write(
    `chaos repeated answers: seed ${seed}: ${calls} calls, ${insurer.repeated()} repeated, ${crossed.length} crossed\n`,
  );
  expect(crossed, `CHAOS_SEED=${seed}`).toEqual([]);
});
