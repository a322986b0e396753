import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import type { Advice, ProblemCode } from "@insurance-gateway/core/problems";
import type { InputOf, ResponseOf } from "@insurance-gateway/core/runtime";
import type { SandboxDialect } from "./dialect.ts";
import type { Ipid } from "./ipid.ts";
import type { Clock, InsurerProblem, SandboxRecord } from "./records.ts";

/** A call to a simulated insurer, after the validation against the declaration. */
export interface SandboxRequest<Input> {
  readonly input: Input;
  /** The name of the scenario that the header or a test value selects; null without a scenario. */
  readonly scenario: string | null;
  /** The client's reference for a submission, if its dialect has a field for the reference. */
  readonly reference?: string;
}

/** The bytes of an answer, with their media type. */
export interface SandboxFile {
  /** The media type in lower case, without parameters: `image/png`. */
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** The content of an answer. */
export type SandboxContent<Response> =
  | { readonly body: Response }
  | { readonly problem: InsurerProblem }
  | { readonly document: Ipid }
  /** A document or an answer of bytes, whose content the handler provides. */
  | { readonly file: SandboxFile }
  /** An invalid answer, which no declaration allows. */
  | { readonly text: string; readonly mediaType: string }
  /** No answer, so that the call ends at the client's deadline. */
  | { readonly silence: true };

/** The simulated insurer's answer, and the records that the call changes. */
export type SandboxAnswer<Response, Kept> = SandboxContent<Response> & {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The delay of the answer, in milliseconds. */
  readonly delayMs?: number;
  /** Records to add, or to replace if the ID exists. They are on disk before the answer is sent. */
  readonly keep?: readonly Kept[];
};

/**
 * Answers the calls of one endpoint. A handler is pure: its result depends only on the call, the records and the time.
 */
export type SandboxHandler<E extends Endpoint, Kept extends SandboxRecord> = (
  request: SandboxRequest<InputOf<E>>,
  /** The insurer's records, oldest first. */
  records: readonly Kept[],
  clock: Clock,
) => SandboxAnswer<ResponseOf<E>, Kept>;

/** A special behaviour of a simulated insurer, which a caller selects by its name. */
export interface SandboxScenario {
  /** The value of the header `X-Sandbox-Scenario`. */
  readonly name: string;
  /** The name of the scenario's endpoint. */
  readonly endpoint: string;
  /** The effect of the scenario in one line. */
  readonly effect: string;
  /** A value that selects the scenario without the header: a JSON Pointer into the input, and the value. */
  readonly when?: { readonly pointer: string; readonly equals: string | number };
  /** The problem that the gateway returns in this scenario for a submission with a key; omitted for a success. */
  readonly problem?: ScenarioProblem;
}

/** The problem of a scenario: its code, with the code's meaning in this scenario. */
export interface ScenarioProblem extends Advice {
  readonly code: ProblemCode;
}

/** A scenario that returns a recorded answer of the insurer with synthetic values. */
export interface RecordedScenario extends Omit<SandboxScenario, "problem" | "when"> {
  readonly status: number;
  /** The declared answer. */
  readonly body: unknown;
}

/** A provider's simulated insurer. */
export interface Sandbox<P extends Provider<object>, Kept extends SandboxRecord> {
  readonly provider: P;
  /** The initial records of the insurer. */
  readonly seed: readonly Kept[];
  readonly scenarios: readonly SandboxScenario[];
  /** The scenarios from `insurance-gateway record`, which the server answers without a handler. */
  readonly recorded?: readonly RecordedScenario[];
  /** The provider's `settings` in a gateway that uses this sandbox; the gateway's configuration can override them. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly handlers: SandboxHandlers<P, Kept>;
  /** The insurer's own interface, whose routes call the handlers. Default: the declared contract. */
  readonly dialect?: SandboxDialect;
}

/** A handler for every endpoint of the provider. */
export type SandboxHandlers<P extends Provider<object>, Kept extends SandboxRecord> = {
  readonly [Name in keyof P["endpoints"]]: P["endpoints"][Name] extends Endpoint
    ? SandboxHandler<P["endpoints"][Name], Kept>
    : never;
};

/** A simulated insurer for a server, without the types of its provider and records. */
export interface AnySandbox {
  readonly provider: Provider;
  readonly seed: readonly SandboxRecord[];
  readonly scenarios: readonly SandboxScenario[];
  readonly recorded?: readonly RecordedScenario[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly handlers: Readonly<Record<string, AnySandboxHandler>>;
  readonly dialect?: SandboxDialect;
}

/** A handler without the types of its endpoint. */
export type AnySandboxHandler = (
  request: SandboxRequest<unknown>,
  records: readonly SandboxRecord[],
  clock: Clock,
) => SandboxAnswer<unknown, SandboxRecord>;

/** Declares a provider's simulated insurer. The type arguments are its provider and the type of its records, if any. */
export function defineSandbox<P extends Provider<object>, Kept extends SandboxRecord = never>(
  sandbox: Sandbox<P, Kept>,
): AnySandbox {
  // The server validates each input against the declaration of `P` before it calls a handler.
  return sandbox as unknown as AnySandbox;
}
