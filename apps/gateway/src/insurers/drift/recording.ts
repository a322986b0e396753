import { answerOf, type Endpoint } from "@insurance-gateway/core/contract";
import { answerMediaOf, isJson } from "@insurance-gateway/core/runtime";
import type { ObservedEndpoint } from "../../events.ts";
import type { Time } from "../../time.ts";
import type { DeclaredValue, ReceivedAnswer } from "./compare-answer.ts";
import { createScrub, type ScrubAnswer } from "./scrub.ts";

/** One recorded answer without data of customers. */
export interface RecordedExample {
  readonly status: number;
  /** The declared answer as JSON. */
  readonly body: string;
}

/** Records answers without data of customers while an operator requests these examples. */
export type Recording = ReturnType<typeof createRecording>;

/** Time for which the gateway records after the operator's last request, in milliseconds. */
const RECORDING_MS = 10_000;
/** Maximum number of endpoints that are recorded at the same time. */
const MAX_RECORDED_ENDPOINTS = 16;
/** Maximum number of examples of one endpoint. */
const MAX_EXAMPLES = 100;

interface EndpointRecording {
  until: number;
  /** True while an answer waits to be scrubbed; the endpoint's other answers are skipped until then. */
  isBusy: boolean;
  readonly examples: Map<string, RecordedExample>;
}

/** Creates a recording that records nothing until an operator requests examples. */
export function createRecording(time: Pick<Time, "elapsed">) {
  const recordings = new Map<string, EndpointRecording>();
  const scrubs = new Map<string, ScrubAnswer>();

  function forgetEnded(): void {
    for (const [key, { until }] of recordings) if (until < time.elapsed()) recordings.delete(key);
  }

  function add({ examples }: EndpointRecording, endpoint: Endpoint, value: DeclaredValue): void {
    const example = createExample(endpoint, value, scrubs);
    if (example !== null && examples.size < MAX_EXAMPLES)
      examples.set(`${example.status} ${example.body}`, example);
  }

  return {
    /** Records an answer. The answer is scrubbed in a later turn, so that its caller does not wait for this work. */
    received(
      { endpoint: name, segment }: ObservedEndpoint,
      endpoint: Endpoint,
      { isBroken, value }: ReceivedAnswer,
    ): void {
      if (recordings.size === 0 || isBroken || value === null) return;
      forgetEnded();
      const recording = recordings.get(keyOf(segment, name));
      if (recording === undefined || recording.isBusy) return;
      recording.isBusy = true;
      setImmediate(() => {
        recording.isBusy = false;
        add(recording, endpoint, value);
      });
    },
    /**
     * Returns an endpoint's examples since the operator's first request, and records the endpoint for ten more seconds.
     * After a longer pause, the recording begins again without the earlier examples.
     */
    examples(segment: string, endpoint: string): readonly RecordedExample[] {
      forgetEnded();
      const key = keyOf(segment, endpoint);
      const recording = recordings.get(key) ?? { until: 0, isBusy: false, examples: new Map() };
      recording.until = time.elapsed() + RECORDING_MS;
      if (recordings.has(key) || recordings.size < MAX_RECORDED_ENDPOINTS)
        recordings.set(key, recording);
      return [...recording.examples.values()];
    },
  };
}

function keyOf(segment: string, endpoint: string): string {
  return `${segment} ${endpoint}`;
}

/** Creates an example; null if the answer is not JSON, or no synthetic values fit the schema. */
function createExample(
  endpoint: Endpoint,
  { content, mediaType, status }: DeclaredValue,
  scrubs: Map<string, ScrubAnswer>,
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
