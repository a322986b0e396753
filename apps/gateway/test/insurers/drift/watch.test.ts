import { read } from "@insurance-gateway/core/contract";
import { loose } from "@insurance-gateway/core/schema";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import type { ReceivedAnswer } from "../../../src/insurers/drift/compare-answer.ts";
import { startDriftWatch } from "../../../src/insurers/drift/watch.ts";

const endpoint = read<{ response: { id: string } }>({
  provider: "provider-x",
  path: "/things",
  response: { 200: loose<{ id: string }>({ id: z.string() }) },
});
const observed = { segment: "x", endpoint: "readThing", kind: "read" } as const;

const answerOf = (content: unknown, isBroken = false): ReceivedAnswer => ({
  bodies: [{ content, form: { type: "declared", status: 200, mediaType: "application/json" } }],
  value: null,
  isBroken,
});

/**
 * Starts a drift watch. `turn` makes the watch's scheduled runs. `found` lists the pointers of the differences, with
 * `!` for breaking differences.
 */
function watching(samplePercent = 100) {
  const found: string[] = [];
  const turns: (() => Promise<void>)[] = [];
  const everyMs: number[] = [];
  let stopped = 0;
  const watch = startDriftWatch({
    samplePercent: () => samplePercent,
    differs: (_, { breaking, pointer }) => void found.push(`${pointer}${breaking ? "!" : ""}`),
    time: {
      every(milliseconds, work) {
        everyMs.push(milliseconds);
        turns.push(work);
        return async () => {
          stopped += 1;
        };
      },
    },
  });
  return {
    found,
    everyMs,
    stopped: () => stopped,
    turn: async () => {
      for (const each of turns) await each();
    },
    receive: (content: unknown, isBroken?: boolean) =>
      watch.received(observed, endpoint, answerOf(content, isBroken)),
    stop: () => watch.stop(),
  };
}

// The clock stays at 0 unless a test moves it.
beforeEach(() => void vi.spyOn(performance, "now").mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

describe("the drift watch", () => {
  it("the drift watch compares answers four times a second, and compares all waiting answers when the watch stops", async () => {
    const { everyMs, found, receive, stop, stopped, turn } = watching();
    receive({ id: "1", first: 1 });
    expect([everyMs, found]).toEqual([[250], []]);
    await turn();
    expect(found).toEqual(["/first"]);
    receive({ id: "1", second: 1 });
    receive({ id: "1", third: 1 });
    await stop();
    expect([found, stopped()]).toEqual([["/first", "/second", "/third"], 1]);
  });

  it.each([
    [0.019, ["/a", "/b", "!"]],
    [0.02, ["/b", "!"]],
  ])(
    "the drift watch compares two percent of the usable answers, and every broken answer: random number %d",
    async (chance, all) => {
      const { found, receive, turn } = watching(2);
      vi.spyOn(Math, "random").mockReturnValue(chance);
      receive({ id: "1", a: 1 });
      receive({ id: "1", b: 1 }, true);
      await turn();
      expect(found).toEqual(all);
    },
  );

  it("the drift watch keeps at most 64 answers for comparison, and reports a further answer only if that answer is broken", async () => {
    const { found, receive, turn } = watching();
    for (let count = 0; count < 64; count += 1) receive({ id: "1", a: 1 });
    receive({ id: "1", b: 1 });
    expect(found).toEqual([]);
    receive({ id: "1", c: 1 }, true);
    expect(found).toEqual(["!"]);
    await turn();
    await turn();
    expect(new Set(found)).toEqual(new Set(["!", "/a"]));
    expect(found).toHaveLength(65);
  });

  it("the drift watch compares answers for at most five milliseconds before it returns to the event loop", async () => {
    const { found, receive, turn } = watching();
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now++ * 3);
    for (const name of ["a", "b", "c"]) receive({ id: "1", [name]: 1 });
    // A run begins no comparison after 5 ms. The clock is at 3 ms after the first answer, and at 6 ms after the second.
    await turn();
    expect(found).toEqual(["/a", "/b"]);
    await turn();
    expect(found).toEqual(["/a", "/b", "/c"]);
  });
});
