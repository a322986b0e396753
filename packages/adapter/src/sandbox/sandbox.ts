import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import type { Advice, ProblemCode } from "@insurance-gateway/core/problems";
import type { InputOf, ResponseOf } from "@insurance-gateway/core/runtime";
import type { SandboxDialect } from "./dialect.ts";
import type { Ipid } from "./ipid.ts";
import type { Clock, InsurerProblem, SandboxRecord } from "./records.ts";

/** A call of a simulated insurer, already validated against the declaration. */
export interface SandboxRequest<Input> {
  readonly input: Input;
  /** The name of the scenario that the header or a test value requests, or null. */
  readonly scenario: string | null;
  /** The client's own name for a submission, if its dialect has a field for it. */
  readonly reference?: string;
}

/** The bytes of an answer with their media type. */
export interface SandboxFile {
  /** In lower case, without parameters: `image/png`. */
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** The content of an answer. */
export type SandboxContent<Response> =
  | { readonly body: Response }
  | { readonly problem: InsurerProblem }
  | { readonly document: Ipid }
  /** A document that the sandbox does not draw, or an answer of bytes. */
  | { readonly file: SandboxFile }
  /** A broken answer, which no declaration allows. */
  | { readonly text: string; readonly mediaType: string }
  /** No answer: the call ends at the client's deadline. */
  | { readonly silence: true };

/** The simulated insurer's answer, and the records that the call changes. */
export type SandboxAnswer<Response, Kept> = SandboxContent<Response> & {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The delay of the answer, in milliseconds. */
  readonly delayMs?: number;
  /** Records to add or, if the id exists, to replace. They are on disk before the answer is sent. */
  readonly keep?: readonly Kept[];
};

/** Answers the calls of one endpoint. Pure: the same call with the same records at the same time gets the same answer. */
export type SandboxHandler<E extends Endpoint, Kept extends SandboxRecord> = (
  request: SandboxRequest<InputOf<E>>,
  /** The insurer's records, oldest first. */
  records: readonly Kept[],
  clock: Clock,
) => SandboxAnswer<ResponseOf<E>, Kept>;

/** A named special behaviour of a simulated insurer. */
export interface SandboxScenario {
  /** The value of the header `X-Sandbox-Scenario`. */
  readonly name: string;
  /** The name of the endpoint it belongs to. */
  readonly endpoint: string;
  /** The effect, in one line. */
  readonly effect: string;
  /** A value that requests it without the header: a JSON Pointer into the input, and the value. */
  readonly when?: { readonly pointer: string; readonly equals: string | number };
  /** The problem that the gateway answers with, to a submission with a key. Omit it if the call succeeds. */
  readonly problem?: ScenarioProblem;
}

/** The problem of a scenario: its code, with the meaning that the code has here. */
export interface ScenarioProblem extends Advice {
  readonly code: ProblemCode;
}

/** A scenario with a recorded answer of the insurer in which every value is synthetic. */
export interface RecordedScenario extends Omit<SandboxScenario, "problem" | "when"> {
  readonly status: number;
  /** The declared answer. */
  readonly body: unknown;
}

/** A provider's simulated insurer. */
export interface Sandbox<P extends Provider<object>, Kept extends SandboxRecord> {
  readonly provider: P;
  /** Its initial records. */
  readonly seed: readonly Kept[];
  readonly scenarios: readonly SandboxScenario[];
  /** The scenarios that `insurance-gateway record` wrote. The server answers them without a handler. */
  readonly recorded?: readonly RecordedScenario[];
  /** The provider's `settings` for a gateway that uses this sandbox, unless its configuration overrides them. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly handlers: SandboxHandlers<P, Kept>;
  /** The insurer's own interface in front of the handlers. Default: the declared contract. */
  readonly dialect?: SandboxDialect;
}

/** A handler for every endpoint of the provider. */
export type SandboxHandlers<P extends Provider<object>, Kept extends SandboxRecord> = {
  readonly [Name in keyof P["endpoints"]]: P["endpoints"][Name] extends Endpoint
    ? SandboxHandler<P["endpoints"][Name], Kept>
    : never;
};

/** A simulated insurer without the types of its provider and records, for a server. */
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

/** Declares a provider's simulated insurer. The type arguments are the provider and, if any, the records. */
export function defineSandbox<P extends Provider<object>, Kept extends SandboxRecord = never>(
  sandbox: Sandbox<P, Kept>,
): AnySandbox {
  // The server validates each input against the declaration of `P` before it calls a handler.
  return sandbox as unknown as AnySandbox;
}
