import type { Credentials, PresentedCredentials } from "@insurance-gateway/core/auth";
import type { Endpoint } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import type { CancellationSignal, ConnectionTransport } from "@insurance-gateway/core/transport";
import type { CredentialsGate } from "./account/credentials-gate.ts";
import type { ReadAnswer } from "./answers/read-answer.ts";
import type { UpstreamAnswer } from "./answers/upstream-answer.ts";
import type { InsurerAccess } from "./insurer-access.ts";
import type { Retries } from "./resilience/retries.ts";

/** The caller's request behind a call: its id and trace, and a function for the call's waiting time. */
export interface CallOrigin {
  readonly requestId: string;
  /** The trace context for the insurer, as headers. */
  readonly traceHeaders: Readonly<Record<string, string>>;
  /** The sandbox scenario that the caller selects. */
  readonly scenario: string | undefined;
  /**
   * Receives the wait for the insurer in milliseconds (document: until its first byte). The waits of several calls are
   * added.
   */
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
  /** Set for the gateway's own calls, without retries and stale answers. A probe passes an open circuit breaker. */
  readonly once?: { readonly probe: boolean };
  /**
   * Latest start of a submission, by `performance.now()`. After this time, other processes could take the submission
   * for abandoned while it is being sent.
   */
  readonly beginBy?: number;
}

/** Makes a call to an insurer. Throws a Refusal that states the certain facts about the outcome. */
export type Call<Made = UpstreamCall> = (endpoint: Endpoint, call: Made) => Promise<UpstreamAnswer>;

/** One step of a call: it adds facts to the call and passes it to the next step, or ends it. */
export type Step<Taken, Given = Taken> = (next: Call<Given>) => Call<Taken>;

/** A call whose account is open. */
export interface AccountCall extends UpstreamCall {
  readonly opened: OpenedAccount;
}

/** A call whose remaining time for all attempts is limited. */
export interface TimedCall extends AccountCall {
  /** Returns the remaining time in milliseconds. */
  readonly leftMs: () => number;
}

/** One attempt of a call, with its credentials and its time limit. */
export interface AttemptCall extends AccountCall {
  /** Time limit in milliseconds, including the time for the last byte of a document. */
  readonly withinMs: number;
  readonly credentials: PresentedCredentials;
  /** True if the attempt uses new connections, because an answer on a used connection may belong to another call. */
  readonly onNewConnection: boolean;
  /** Called when the attempt must wait for memory; this time does not count against the insurer. */
  readonly waitsForRoom: () => void;
}

/** An account's objects for calls with the same settings; a reload replaces these objects. */
export interface OpenedAccount {
  /** The insurer with the account's settings. */
  readonly insurer: InsurerAccess;
  readonly transport: ConnectionTransport;
  readonly readAnswer: ReadAnswer;
  readonly credentials: Pick<Credentials, "current" | "ready">;
  /** The account's gate for submissions, which all generations of the settings share. */
  readonly gate: CredentialsGate;
  readonly retries: Retries;
  /** Returns the account as opened with the newest settings. */
  newest(): OpenedAccount;
}
