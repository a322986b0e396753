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
  /** The sandbox scenario that the caller asks for. */
  readonly scenario: string | undefined;
  /** Receives the milliseconds spent waiting for the insurer; several calls add up. For a document, until its first byte. */
  readonly waited: (milliseconds: number) => void;
}

/** A call of an insurer. */
export interface UpstreamCall extends CallOrigin {
  /** The id of the account whose credentials and settings it uses. */
  readonly account: string;
  readonly input: CheckedInput;
  /** Gives the call up when its caller has gone; null for a call that is made to its end. */
  readonly callerGone: CancellationSignal | null;
  /** Our own name for a submission, which travels with it; of a search by reference, for which one; otherwise null. */
  readonly submissionId: string | null;
  /** A call of the gateway's own: made once, never answered with a stale response, and as a probe also while the breaker is open. */
  readonly once?: { readonly probe: boolean };
  /** When a submission must have begun to be sent, by `performance.now()`: later its lease could end while it is sent. */
  readonly beginBy?: number;
}

/** Makes a call; throws a Refusal that says what is certain about the outcome. */
export type Call<Made = UpstreamCall> = (endpoint: Endpoint, call: Made) => Promise<UpstreamAnswer>;

/** One step of a call: it does its part and has the next step do the rest, with what it adds to the call. */
export type Step<Taken, Given = Taken> = (next: Call<Given>) => Call<Taken>;

/** A call whose account is open. */
export interface AccountCall extends UpstreamCall {
  readonly opened: OpenedAccount;
}

/** A call with the time that is left for all its attempts. */
export interface TimedCall extends AccountCall {
  /** In milliseconds. */
  readonly leftMs: () => number;
}

/** One attempt of a call. */
export interface AttemptCall extends AccountCall {
  /** The time for everything, a document's last byte included, in milliseconds. */
  readonly withinMs: number;
  readonly credentials: PresentedCredentials;
  /** Whether it is made on new connections, after an answer that may have been another call's. */
  readonly onNewConnection: boolean;
  /** Called when the attempt waits for room for an answer: that time is not the insurer's. */
  readonly waitsForRoom: () => void;
}

/** The parts for calls of an account; a reload replaces them. */
export interface OpenedAccount {
  /** With the account's settings. */
  readonly insurer: InsurerAccess;
  readonly transport: ConnectionTransport;
  readonly readAnswer: ReadAnswer;
  readonly credentials: Pick<Credentials, "current" | "ready">;
  /** Shared by all generations of the settings. */
  readonly gate: CredentialsGate;
  readonly retries: Retries;
  /** Returns the parts by the present settings. */
  newest(): OpenedAccount;
}
