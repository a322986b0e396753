import { describe, expect, it } from "vitest";
import {
  type AnswerBudget,
  createAnswerBudget,
} from "../../src/insurers/exchange/answer-budget.ts";

const patient = { mostMs: 60_000, signal: null, waits: () => undefined };

/** Reserves memory, and adds a name to `order` as soon as the memory is reserved. */
async function reserved(
  budget: AnswerBudget,
  [name, segment, bytes]: readonly [string, string, number],
  order: string[],
) {
  const room = await budget.roomOf(segment).reserve(bytes, patient);
  if (room === null) throw new Error(`No room for ${name}`);
  order.push(name);
  return room;
}

describe("the memory budget for insurers' answers", () => {
  it("the memory budget for answers serves waiting calls in the order of arrival, even if the oldest call needs much memory", async () => {
    const budget = createAnswerBudget(() => 100);
    const order: string[] = [];
    const [one, other] = [
      await reserved(budget, ["one", "a", 50], order),
      await reserved(budget, ["other", "b", 40], order),
    ];
    const large = reserved(budget, ["large", "c", 50], order);
    const small = reserved(budget, ["small", "d", 5], order);
    other.release();
    await large;
    expect(order).toEqual(["one", "other", "large"]);
    expect(budget.held()).toBe(100);
    one.release();
    await small;
    expect(budget.held()).toBe(55);
  });

  it("the memory budget for answers grants one insurer at most half of the memory, so that other insurers' calls do not wait", async () => {
    const budget = createAnswerBudget(() => 100);
    const order: string[] = [];
    const first = await reserved(budget, ["first", "slow", 40], order);
    const second = reserved(budget, ["second", "slow", 20], order);
    const third = reserved(budget, ["third", "slow", 10], order);
    await reserved(budget, ["another", "b", 50], order);
    expect(order).toEqual(["first", "another"]);
    first.release();
    await Promise.all([second, third]);
    expect(order).toEqual(["first", "another", "second", "third"]);
  });

  it("the memory budget for answers admits an answer that exceeds the whole budget only while no other answer uses memory", async () => {
    const budget = createAnswerBudget(() => 100);
    const order: string[] = [];
    const small = await reserved(budget, ["small", "a", 10], order);
    const large = reserved(budget, ["large", "b", 500], order);
    const next = reserved(budget, ["next", "c", 1], order);
    small.release();
    const room = await large;
    expect(order).toEqual(["small", "large"]);
    room.release();
    await next;
    expect(budget.held()).toBe(1);
  });

  it("a second release of the same reservation does not change the memory budget for answers", async () => {
    const budget = createAnswerBudget(() => 100);
    const room = await reserved(budget, ["one", "a", 80], []);
    room.reduce(30);
    expect(budget.held()).toBe(30);
    room.reduce(60);
    expect(budget.held()).toBe(30);
    room.release();
    room.release();
    expect(budget.held()).toBe(0);
  });

  it("the memory budget for answers grants memory for the answer to a submission at once, even above the maximum", async () => {
    const budget = createAnswerBudget(() => 100);
    const order: string[] = [];
    const full = await reserved(budget, ["full", "a", 100], order);
    const submission = budget.roomOf("a").take(70);
    expect(budget.held()).toBe(170);
    const next = reserved(budget, ["next", "b", 50], order);
    full.release();
    expect(order).toEqual(["full"]);
    submission.release();
    await next;
    expect(budget.held()).toBe(50);
  });

  it("a call stops waiting for memory for its answer when the caller disconnects, and the next waiting call gets the memory", async () => {
    const budget = createAnswerBudget(() => 100);
    const order: string[] = [];
    await reserved(budget, ["one", "a", 60], order);
    const gone = new AbortController();
    const waiting = budget.roomOf("b").reserve(90, { ...patient, signal: gone.signal });
    const behind = reserved(budget, ["behind", "c", 40], order);
    gone.abort();
    expect(await waiting).toBeNull();
    await behind;
    expect(await budget.roomOf("b").reserve(1, { ...patient, signal: gone.signal })).toBeNull();
    expect(budget.held()).toBe(100);
  });

  it("the memory budget for answers reports a wait only to the calls that must wait for memory", async () => {
    const budget = createAnswerBudget(() => 100);
    const waits: string[] = [];
    const reserve = (segment: string) =>
      budget.roomOf(segment).reserve(60, { ...patient, waits: () => void waits.push(segment) });
    const room = await reserve("a");
    const waiting = reserve("b");
    room?.release();
    await waiting;
    expect(waits).toEqual(["b"]);
  });

  it("a call gets no memory for its answer if the call's maximum wait ends before enough memory is free", async () => {
    const budget = createAnswerBudget(() => 100);
    const room = await reserved(budget, ["one", "a", 100], []);
    expect(await budget.roomOf("b").reserve(1, { ...patient, mostMs: 1 })).toBeNull();
    room.release();
    expect(budget.held()).toBe(0);
  });

  it("calls that wait for memory for their answers get the memory as soon as the operator raises the maximum", async () => {
    let most = 100;
    const budget = createAnswerBudget(() => most);
    const order: string[] = [];
    await reserved(budget, ["one", "a", 100], order);
    const waiting = reserved(budget, ["waiting", "b", 50], order);
    most = 200;
    await reserved(budget, ["next", "c", 10], order);
    await waiting;
    expect(order).toEqual(["one", "waiting", "next"]);
  });
});
