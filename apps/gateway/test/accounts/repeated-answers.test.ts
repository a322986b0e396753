import { expect, it, onTestFinished } from "vitest";
import { crossedAnswers, startTwoBrokers } from "./crossed-answers.ts";
import { startRepeatingInsurer } from "./repeating-insurer.ts";

it("two brokers receive only their own customers' lists and documents if the insurer sends each answer twice", async () => {
  const insurer = await startRepeatingInsurer(41, { late: 0.2, twice: 1 });
  onTestFinished(() => insurer.close());
  const brokers = await startTwoBrokers(insurer);
  onTestFinished(() => brokers.stop());
  expect(await crossedAnswers(brokers, { first: 0, searches: 750, documents: 40 })).toEqual([]);
  expect(insurer.repeated()).toBeGreaterThan(100);
});
