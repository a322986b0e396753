import type { Endpoint } from "../contract/endpoint.ts";
import type { CheckedInput } from "../contract/input-checker.ts";

/** A request in the insurer's own dialect, relative to its base address. */
export interface InsurerRequest {
  readonly method: string;
  /** Path and query, beginning with `/`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An insurer's answer, or, for the gateway's caller, what was made of it. */
export interface InsurerAnswer {
  readonly status: number;
  /** The media type without parameters, in lower case: `application/json`. */
  readonly mediaType: string;
  /** The body as text; empty for a document, which is streamed past the adapter. */
  readonly text: string;
}

/**
 * How the gateway speaks to one insurer's own API: pure translation in both directions. Address, credentials,
 * deadlines and outcomes are the gateway's business.
 */
export interface Adapter {
  /** The name the configuration gives it. */
  readonly name: string;
  /**
   * Writes a declared call in the insurer's dialect.
   * @param submissionId - our own name for a submission, which must travel with it; null for other kinds
   */
  request(endpoint: Endpoint, input: CheckedInput, submissionId: string | null): InsurerRequest;
  /** Reads an insurer's answer as one of the declared contract. */
  answer(endpoint: Endpoint, answer: InsurerAnswer): InsurerAnswer;
}
