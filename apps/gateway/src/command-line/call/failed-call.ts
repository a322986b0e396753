import type { FailureFacts } from "./failure-words.ts";
import type { CallFlag } from "./flags.ts";

/** What is told of a failure. */
export interface ToldFailure {
  readonly exitCode: number;
  /** For a person. */
  readonly text: string;
  /** For a program. */
  readonly facts: FailureFacts;
}

/** What to do about a connection that cannot be made, or a token that is refused. */
export type Hints = Readonly<Record<string, string>>;

/** What is known of a call beside its error. */
export interface FailedCall {
  readonly flags: readonly CallFlag[];
  /** The command that makes the call again with an idempotency key; null for what is no submission. */
  readonly again: ((idempotencyKey: string) => string) | null;
  /** The command that asks the same gateway what became of a submission. */
  readonly ask: (submissionId: string) => string;
}
