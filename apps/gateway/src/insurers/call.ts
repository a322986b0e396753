import type { Credentials, PresentedCredentials } from "@insurance-gateway/core/auth";
import type { Endpoint } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import type { CancellationSignal, ConnectionTransport } from "@insurance-gateway/core/transport";
import type { CredentialsGate } from "./account/credentials-gate.ts";
import type { ReadAnswer } from "./answers/read-answer.ts";
import type { UpstreamAnswer } from "./answers/upstream-answer.ts";
import type { InsurerAccess } from "./insurer-access.ts";
import type { Retries } from "./resilience/retries.ts";

/** The origin of a call, and the receiver of its result. */
export interface CallOrigin {
  readonly requestId: string;
  /** The trace context for the insurer, as headers. */
  readonly traceHeaders: Readonly<Record<string, string>>;
  /** The sandbox scenario that the caller selects. */
  readonly scenario: string | undefined;
  /** Receives the wait for the insurer in milliseconds, for a document until its first byte; several calls add up. */
  readonly waited: (milliseconds: number) => void;
}

/** A call to an insurer. */
export interface UpstreamCall extends CallOrigin {
  /** The id of the account whose credentials and settings the call uses. */
  readonly account: string;
  readonly input: CheckedInput;
  /** Cancels the call when its caller disconnects; null for a call that always runs to its end. */
  readonly callerGone: CancellationSignal | null;
  /** The gateway's id of the submission, or of the submission that a search looks for by reference; otherwise null. */
  readonly submissionId: string | null;
  /** Set for the gateway's own calls, which are made once and never answered stale; a probe passes an open breaker. */
  readonly once?: { readonly probe: boolean };
  /** Latest start of a submission, by `performance.now()`: later, its lease could end while the submission is sent. */
  readonly beginBy?: number;
}

/** Makes a call; throws a Refusal that states what is certain about the outcome. */
export type Call<Made = UpstreamCall> = (endpoint: Endpoint, call: Made) => Promise<UpstreamAnswer>;

/** One step of a call: it does its part, and calls the next step with its additions to the call. */
export type Step<Taken, Given = Taken> = (next: Call<Given>) => Call<Taken>;

/** A call whose account is open. */
export interface AccountCall extends UpstreamCall {
  readonly opened: OpenedAccount;
}

/** A call with the remaining time for all its attempts. */
export interface TimedCall extends AccountCall {
  /** Returns the remaining time in milliseconds. */
  readonly leftMs: () => number;
}

/** One attempt of a call. */
export interface AttemptCall extends AccountCall {
  /** Time limit in milliseconds, which includes the last byte of a document. */
  readonly withinMs: number;
  readonly credentials: PresentedCredentials;
  /** True if the attempt uses new connections, after an answer that may belong to another call. */
  readonly onNewConnection: boolean;
  /** Called when the attempt waits for memory for an answer: this time does not count against the insurer. */
  readonly waitsForRoom: () => void;
}

/** The parts for calls of an account; a reload replaces them. */
export interface OpenedAccount {
  /** The insurer with the account's settings. */
  readonly insurer: InsurerAccess;
  readonly transport: ConnectionTransport;
  readonly readAnswer: ReadAnswer;
  readonly credentials: Pick<Credentials, "current" | "ready">;
  /** Shared by all generations of the settings. */
  readonly gate: CredentialsGate;
  readonly retries: Retries;
  /** Returns the parts with the newest settings. */
  newest(): OpenedAccount;
}
