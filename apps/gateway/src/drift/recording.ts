import { answerMediaOf, answerOf, type Endpoint, isJson } from "@insurance-gateway/core/contract";
import type { ObservedEndpoint } from "../observation/observation.ts";
import type { Scheduler } from "../scheduled-tasks.ts";
import type { RecordedExample, RecordingStore } from "../store/recordings.ts";
import type { Time } from "../time.ts";
import type { DeclaredValue, ReceivedAnswer } from "./compare-answer.ts";
import { createScrub, type Scrub } from "./scrub.ts";

/** Records scrubbed examples of answers, as long as an operator wants some. */
export interface Recording {
  /** Takes note of an answer; it returns at once. */
  received(observed: ObservedEndpoint, endpoint: Endpoint, answer: ReceivedAnswer): void;
  stop(): Promise<void>;
}

/** What recording works with. */
export interface RecordingParts {
  /** Null while the store has not been opened. */
  readonly store: () => RecordingStore | null;
  readonly time: Pick<Time, "now">;
  readonly every: Scheduler;
}

const LOOK_EVERY_MS = 2_000;
/** How many answers wait to be scrubbed at most; more of the same second add nothing new. */
const MOST_WAITING = 16;
/** How long the examples of a recording that has ended wait for the command that started it. */
const FETCHED_WITHIN_MS = 3_600_000;

interface Waiting {
  readonly observed: ObservedEndpoint;
  readonly endpoint: Endpoint;
  readonly value: DeclaredValue;
}

/** Starts to look for recordings that are wanted. Only what is scrubbed is given to the store. */
export function startRecording({ every, store, time }: RecordingParts): Recording {
  let wanted: ReadonlySet<string> = new Set();
  const waiting: Waiting[] = [];
  const scrubs = new Map<string, Scrub>();
  const work = async (): Promise<void> => {
    const opened = store();
    const taken = waiting.splice(0);
    if (opened === null) return;
    await opened.forgetRecordings(time.now() - FETCHED_WITHIN_MS);
    const running = await opened.recordings(time.now());
    wanted = new Set(running.map(({ endpoint, segment }) => keyOf({ endpoint, segment })));
    for (const { endpoint, observed, value } of taken) {
      const example = exampleOf(endpoint, value, scrubs);
      if (example === null) continue;
      await opened.addExample(observed.segment, observed.endpoint, example);
    }
  };
  const stop = every("recording examples", LOOK_EVERY_MS, work);
  return {
    received(observed, endpoint, { isBroken, value }) {
      if (wanted.size === 0 || isBroken || value === null || !wanted.has(keyOf(observed))) return;
      if (waiting.length < MOST_WAITING) waiting.push({ observed, endpoint, value });
    },
    stop,
  };
}

function keyOf({ endpoint, segment }: Pick<ObservedEndpoint, "endpoint" | "segment">): string {
  return `${segment} ${endpoint}`;
}

/** Null where the answer is no JSON, or no example of its schema could be made. */
function exampleOf(
  endpoint: Endpoint,
  { content, mediaType, status }: DeclaredValue,
  scrubs: Map<string, Scrub>,
): RecordedExample | null {
  const answer = answerOf(endpoint, status);
  const media = answer && isJson(mediaType) ? answerMediaOf(answer, mediaType) : undefined;
  if (media === undefined) return null;
  const key = `${endpoint.provider} ${endpoint.method} ${endpoint.path} ${status} ${media.mediaType}`;
  const scrub = scrubs.get(key) ?? createScrub(media.schema);
  scrubs.set(key, scrub);
  const body = scrub(content);
  return body === null ? null : { status, body: JSON.stringify(body) };
}
