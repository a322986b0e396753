import { read } from "@insurance-gateway/core/contract";
import { loose } from "@insurance-gateway/core/schema";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import type { ReceivedAnswer } from "../../src/drift/compare-answer.ts";
import { startRecording } from "../../src/drift/recording.ts";
import type { RecordedExample, RecordingOrder } from "../../src/store/recordings.ts";

const endpoint = read<{ response: { id: string } }>({
  provider: "provider-x",
  path: "/things",
  response: { 200: loose<{ id: string }>({ id: z.string().check(z.maxLength(9)) }) },
});
const observed = { segment: "x", endpoint: "readThing", kind: "read" } as const;
const order: RecordingOrder = { segment: "x", endpoint: "readThing", until: 9_000, wanted: 2 };

const answerOf = (content: unknown, more: object = {}): ReceivedAnswer => ({
  bodies: [],
  isBroken: false,
  value: { status: 200, mediaType: "application/json", content },
  ...more,
});

/** Recording whose turns the test makes, with a store that the test holds. */
function held(orders: readonly RecordingOrder[] = [order]) {
  const asked: string[] = [];
  const examples: (readonly [string, string, RecordedExample])[] = [];
  const tasks: (readonly [string, number])[] = [];
  const state = { isOpen: true, work: async (): Promise<void> => {} };
  const store = {
    async forgetRecordings(before: number) {
      asked.push(`forget before ${before}`);
    },
    async recordings(at: number) {
      asked.push(`recordings at ${at}`);
      return orders;
    },
    async addExample(segment: string, name: string, example: RecordedExample) {
      examples.push([segment, name, example]);
    },
    startRecording: async () => true,
    examples: async () => [],
    endRecording: async () => {},
  };
  const recording = startRecording({
    store: () => (state.isOpen ? store : null),
    time: { now: () => 4_000_000 },
    every(task, milliseconds, work) {
      tasks.push([task, milliseconds]);
      state.work = work;
      return async () => void tasks.push(["stopped", 0]);
    },
  });
  return { asked, examples, recording, state, tasks };
}

const example = (id: string): readonly unknown[] => [
  "x",
  "readThing",
  { status: 200, body: `{"id":"${id}"}` },
];

it("examples are recorded of the endpoints that an operator asked for, scrubbed, every two seconds", async () => {
  const { asked, examples, recording, state, tasks } = held();
  recording.received(observed, endpoint, answerOf({ id: "Maria" }));
  await state.work();
  expect(tasks).toEqual([["recording examples", 2_000]]);
  // What came before the order was known is none.
  expect([asked, examples]).toEqual([["forget before 400000", "recordings at 4000000"], []]);
  const received = (...parameters: Parameters<typeof recording.received>): void =>
    recording.received(...parameters);
  received(observed, endpoint, answerOf({ id: "Eleni" }));
  received({ ...observed, endpoint: "other" }, endpoint, answerOf({ id: "Anna" }));
  received({ ...observed, segment: "y" }, endpoint, answerOf({ id: "Anna" }));
  received(observed, endpoint, answerOf({ id: "Anna" }, { isBroken: true }));
  received(observed, endpoint, answerOf(null, { value: null }));
  expect(examples).toEqual([]);
  await state.work();
  expect(examples).toEqual([example("Aaaaa")]);
  await state.work();
  expect(examples).toHaveLength(1);
  await recording.stop();
  expect(tasks.at(-1)).toEqual(["stopped", 0]);
});

it("what is no declared JSON, and what fits no example, is left out, and no more than 16 wait", async () => {
  const { examples, recording, state } = held();
  await state.work();
  const value = { status: 200, mediaType: "text/html", content: "<p>" };
  recording.received(observed, endpoint, answerOf(null, { value }));
  recording.received(observed, endpoint, answerOf(null, { value: { ...value, status: 404 } }));
  recording.received(observed, endpoint, answerOf({ id: "longer than nine" }));
  for (let number = 0; number < 20; number += 1)
    recording.received(observed, endpoint, answerOf({ id: `a${number}` }));
  await state.work();
  expect(examples).toHaveLength(13);
});

it("nothing is recorded while the store is not open, and what waited is not kept for later", async () => {
  const { asked, examples, recording, state } = held();
  await state.work();
  recording.received(observed, endpoint, answerOf({ id: "Maria" }));
  state.isOpen = false;
  asked.length = 0;
  await state.work();
  state.isOpen = true;
  expect(asked).toEqual([]);
  await state.work();
  expect(examples).toEqual([]);
});
