import {
  type Endpoint,
  type Fault,
  type InputOf,
  type Provider,
  type ResponseOf,
  valueAt,
} from "@insurance-gateway/core/contract";
import type { SandboxDialect } from "./dialect.ts";
import type { Ipid } from "./ipid.ts";

/** Tells the time, so that no handler reads a clock of its own. */
export type Clock = () => Date;

/** One call as the simulated insurer sees it; it has been checked against the declaration. */
export interface SandboxRequest<Input> {
  readonly input: Input;
  /** The name of the scenario that the header or a test value requested, or null. */
  readonly scenario: string | null;
  /** The sender's own name for a submission, where its dialect has a place for it. */
  readonly reference?: string;
}

/** A refusal in the declared contract: problem+json with one of the gateway's codes. */
export interface InsurerProblem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly Fault[];
}

/** The bytes of an answer with their type. */
export interface SandboxFile {
  /** In lower case, without parameters: `image/png`. */
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** What an answer carries. */
export type SandboxContent<Response> =
  | { readonly body: Response }
  | { readonly problem: InsurerProblem }
  | { readonly document: Ipid }
  /** A document that is not drawn, or an answer of bytes. */
  | { readonly file: SandboxFile }
  /** Something no declaration allows: what a broken insurer says. */
  | { readonly text: string; readonly mediaType: string }
  /** No answer at all: the caller's deadline decides. */
  | { readonly silence: true };

/** The simulated insurer's answer, and the records it keeps because of the call. */
export type SandboxAnswer<Response, Kept> = SandboxContent<Response> & {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the insurer takes, in milliseconds. */
  readonly delayMs?: number;
  /** Records to add, or to put in the place of those with the same id; they are on disk before the answer leaves. */
  readonly keep?: readonly Kept[];
};

/** Something a simulated insurer keeps. */
export interface SandboxRecord {
  readonly id: string;
}

/** Answers one endpoint; pure, so that the same call on the same records at the same time answers the same. */
export type SandboxHandler<E extends Endpoint, Kept extends SandboxRecord> = (
  request: SandboxRequest<InputOf<E>>,
  /** What the insurer keeps, oldest first. */
  records: readonly Kept[],
  clock: Clock,
) => SandboxAnswer<ResponseOf<E>, Kept>;

/** A named behaviour of the simulated insurer, other than its usual one. */
export interface SandboxScenario {
  /** The name, as the header `X-Sandbox-Scenario` gives it. */
  readonly name: string;
  /** The name of the endpoint it belongs to. */
  readonly endpoint: string;
  /** What happens, in one line. */
  readonly effect: string;
  /** The value that asks for it without the header: where in the input, as a JSON Pointer, and what. */
  readonly when?: { readonly pointer: string; readonly equals: string | number };
}

/** A scenario that answers with a real answer of the insurer in which every value is synthetic. */
export interface RecordedScenario extends Omit<SandboxScenario, "when"> {
  readonly status: number;
  /** The declared answer. */
  readonly body: unknown;
}

/** A provider's simulated insurer. */
export interface Sandbox<P extends Provider<object>, Kept extends SandboxRecord> {
  readonly provider: P;
  /** What it keeps on its first start. */
  readonly seed: readonly Kept[];
  readonly scenarios: readonly SandboxScenario[];
  /** What `insurance-gateway record` wrote; the server answers these by itself. */
  readonly recorded?: readonly RecordedScenario[];
  /** The provider's `settings` that a gateway uses before it, unless its configuration says otherwise. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly handlers: SandboxHandlers<P, Kept>;
  /** How the insurer's own interface says what the handlers do; the declared contract when left out. */
  readonly dialect?: SandboxDialect;
}

/** A handler for every endpoint of the provider. */
export type SandboxHandlers<P extends Provider<object>, Kept extends SandboxRecord> = {
  readonly [Name in keyof P["endpoints"]]: P["endpoints"][Name] extends Endpoint
    ? SandboxHandler<P["endpoints"][Name], Kept>
    : never;
};

/** A simulated insurer whose provider and records are not known in the types, as a server meets it. */
export interface AnySandbox {
  readonly provider: Provider;
  readonly seed: readonly SandboxRecord[];
  readonly scenarios: readonly SandboxScenario[];
  readonly recorded?: readonly RecordedScenario[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly handlers: Readonly<Record<string, AnySandboxHandler>>;
  readonly dialect?: SandboxDialect;
}

/** A handler whose endpoint is not known in the types. */
export type AnySandboxHandler = (
  request: SandboxRequest<unknown>,
  records: readonly SandboxRecord[],
  clock: Clock,
) => SandboxAnswer<unknown, SandboxRecord>;

/** Declares a provider's simulated insurer; the provider, and the records where there are any, are named as type arguments. */
export function defineSandbox<P extends Provider<object>, Kept extends SandboxRecord = never>(
  sandbox: Sandbox<P, Kept>,
): AnySandbox {
  // The server checks each input against the declaration that `P` names before it calls a handler.
  return sandbox as unknown as AnySandbox;
}

/** The scenario a call asks for: the header overrides a test value. */
export function scenarioOf(
  scenarios: readonly SandboxScenario[],
  endpoint: string,
  input: unknown,
  header: string | undefined,
): string | null {
  if (header !== undefined) return header;
  const found = scenarios.find(
    ({ when, endpoint: owner }) =>
      owner === endpoint && when !== undefined && valueAt(input, when.pointer) === when.equals,
  );
  return found?.name ?? null;
}
