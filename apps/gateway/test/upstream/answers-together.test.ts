import { setImmediate } from "node:timers/promises";
import { type ConnectionTransport, TransportError } from "@insurance-gateway/core/transport";
import { describe, expect, it } from "vitest";
import { answersTogether, createGoOnTogether } from "../../src/upstream/answers-together.ts";

/** Waits as the numbers one to `last`; each notes in `done` when it goes on, and again after something that is done at once. */
function waitAs(last: number, done: string[]): void {
  const goOn = createGoOnTogether();
  const wait = async (number: number): Promise<void> => {
    await goOn();
    done.push(`${number}`);
    queueMicrotask(() => done.push(`after ${number}`));
  };
  for (let number = 1; number <= last; number += 1) void wait(number);
}

describe("what has come at the same time", () => {
  it("goes on when the event loop has read what it can, one part of the way after the other", async () => {
    const done: string[] = [];
    waitAs(2, done);
    await Promise.resolve();
    expect(done).toEqual([]);
    await setImmediate();
    expect(done).toEqual(["1", "2", "after 1", "after 2"]);
  });

  it("goes on thirty-two at a time", async () => {
    const done: string[] = [];
    waitAs(33, done);
    await setImmediate();
    expect(done[32]).toBe("after 1");
    expect(done.slice(-2)).toEqual(["33", "after 33"]);
  });

  it("waits again when it comes later", async () => {
    const goOn = createGoOnTogether();
    await goOn();
    let isDone = false;
    const second = goOn().then(() => {
      isDone = true;
    });
    await Promise.resolve();
    expect(isDone).toBe(false);
    await second;
  });
});

describe("a transport whose answers go on together", () => {
  const transport = (send: ConnectionTransport["send"]): ConnectionTransport =>
    answersTogether({ send, underWay: () => 7, close: async () => {} }, createGoOnTogether());
  // The transport passes it on.
  const request = { url: "http://insurer.example/" } as Parameters<ConnectionTransport["send"]>[0];

  it("passes on requests, answers and what is under way", async () => {
    const answer = { status: 201 } as Awaited<ReturnType<ConnectionTransport["send"]>>;
    const sent: unknown[] = [];
    const passing = transport(async (one) => {
      sent.push(one);
      return answer;
    });
    expect(await passing.send(request)).toBe(answer);
    expect([sent, passing.underWay()]).toEqual([[request], 7]);
  });

  it("passes failures on at once", async () => {
    const failing = transport(async () => {
      throw new TransportError("connect", "failed");
    });
    await expect(failing.send(request)).rejects.toMatchObject({ phase: "connect" });
  });
});
