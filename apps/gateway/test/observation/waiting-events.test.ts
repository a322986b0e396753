import { expect, it } from "vitest";
import { createWaitingEvents } from "../../src/observation/waiting-events.ts";

it("handles events in their order, once, when it is asked to", () => {
  const handled: number[] = [];
  const waiting = createWaitingEvents<number>((event) => handled.push(event));
  waiting.add(1);
  waiting.add(2);
  expect(handled).toEqual([]);
  waiting.handle();
  waiting.handle();
  expect(handled).toEqual([1, 2]);
});

it("handles events without being asked, so that only so many wait", () => {
  const handled: number[] = [];
  const waiting = createWaitingEvents<number>((event) => handled.push(event));
  for (let event = 0; event < 1_000; event += 1) waiting.add(event);
  expect(handled).toEqual(Array.from(handled, (_, event) => event));
  expect(handled.length).toBeGreaterThan(900);
});
