import type { Fault } from "../contract/faults.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import type { Provider } from "../contract/provider.ts";
import {
  type RecordedScenario,
  recordedAnswer,
  type Scenario,
  scenarioOf,
} from "../rules/scenario.ts";

/** Record of a simulated insurer. */
export interface SimulatedRecord {
  readonly id: string;
}

/** Answer of a simulated insurer, and the records that the call changes. */
export type SimulatedAnswer = SimulatedContent & {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  readonly keep?: readonly SimulatedRecord[];
};

type SimulatedContent =
  | { readonly body: unknown }
  | {
      readonly problem: {
        readonly code: string;
        readonly detail: string;
        readonly errors?: readonly Fault[];
      };
    }
  | { readonly document: object }
  | { readonly file: { readonly mediaType: string; readonly content: Uint8Array } }
  | { readonly text: string; readonly mediaType: string }
  | { readonly silence: true };

/** The parts of a provider's `@insurance-gateway/provider-d/sandbox` that a fake gateway uses. */
export interface SimulatedInsurer {
  readonly provider: Provider;
  readonly seed: readonly SimulatedRecord[];
  readonly scenarios: readonly Scenario[];
  readonly recorded?: readonly RecordedScenario[];
  readonly handlers: Readonly<
    Record<
      string,
      (
        request: {
          readonly input: unknown;
          readonly scenario: string | null;
          readonly reference?: string;
        },
        records: readonly SimulatedRecord[],
        clock: () => Date,
      ) => SimulatedAnswer
    >
  >;
}

/** A valid call of one endpoint. */
export interface SimulatedCall {
  /** Name of the endpoint. */
  readonly name: string;
  readonly input: CheckedInput;
  /** Scenario of the header `X-Sandbox-Scenario`. */
  readonly scenario?: string | undefined;
  /** The gateway's own identifier of a submission. */
  readonly reference?: string;
}

/** A simulated insurer with its records. */
export interface RunningInsurer {
  readonly provider: Provider;
  /** Carries out a call at an instant, in milliseconds since 1970. */
  readonly ask: (call: SimulatedCall, at: number) => SimulatedAnswer;
  /** Returns the records, oldest first. */
  readonly records: () => readonly SimulatedRecord[];
}

/** Starts a simulated insurer with its initial records. */
export function startInsurer(insurer: SimulatedInsurer): RunningInsurer {
  const { handlers, provider, recorded = [], scenarios, seed } = insurer;
  const known = [...scenarios, ...recorded].map(({ name }) => name);
  let records = [...seed];
  return {
    provider,
    records: () => records,
    ask({ input, name, reference, scenario: asked }, at) {
      const [endpoint, handle] = [provider.endpoints[name], handlers[name]];
      if (endpoint === undefined || handle === undefined)
        throw new TypeError(`The sandbox of ${provider.id} has no handler for ${name}`);
      if (asked !== undefined && !known.includes(asked))
        return { status: 400, problem: { code: "INVALID_REQUEST", detail: "No such scenario." } };
      const clock = (): Date => new Date(at);
      const scenario = scenarioOf(scenarios, name, input, asked);
      const played = recorded.find((one) => one.name === scenario && one.endpoint === name);
      if (played !== undefined) return recordedAnswer(endpoint, input, played, clock);
      const answer = handle(
        { input, scenario, ...(reference === undefined ? {} : { reference }) },
        records,
        clock,
      );
      for (const kept of answer.keep ?? []) {
        const isKnown = records.some(({ id }) => id === kept.id);
        records = isKnown
          ? records.map((record) => (record.id === kept.id ? kept : record))
          : [...records, kept];
      }
      return answer;
    },
  };
}
