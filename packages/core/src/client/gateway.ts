/// <reference lib="esnext.disposable" preserve="true" />
import type { ByStatus } from "../contract/answers.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { InputOf, ResponseOf, TypesOf } from "../contract/input.ts";
import type { Provider } from "../contract/provider.ts";
import type { ResolveOptions } from "../errors/index.ts";
import type { SubmissionResult } from "../errors/outcome-unknown-error.ts";
import type { ProviderHistory, ProviderStatusList } from "../own/provider-status.ts";
import type { SubmissionStatus } from "../own/submission-status.ts";
import type { Call, WithResponse } from "./call.ts";
import type { Download } from "./download.ts";
import type { Calls, EachOptions, EachResult } from "./each.ts";
import type { KeyStore } from "./key-store.ts";
import type { CallOptions, FurtherHeaders, SubmissionOptions } from "./options.ts";
import type { SearchCall } from "./search.ts";
import type { ResumedSubmission } from "./submission-queries.ts";

/** Return type of a call, which depends on the endpoint's kind. */
export type ResultOf<E extends Endpoint> = E["kind"] extends "document"
  ? Call<Download>
  : E["kind"] extends "search"
    ? SearchCall<ItemOf<E>, ResponseOf<E>>
    : Call<ResponseOf<E>, AnswerOf<E>>;

/** Answer with its head. If the answers differ by status, the type is a union that `status` narrows. */
type AnswerOf<E extends Endpoint> =
  TypesOf<E>["response"] extends ByStatus<infer Answered>
    ? {
        [Status in keyof Answered & number]: WithResponse<Answered[Status], Status>;
      }[keyof Answered & number]
    : WithResponse<ResponseOf<E>>;

/** Declared item type of a search; `unknown` if the endpoint's type does not contain the declaration. */
type ItemOf<E extends Endpoint> =
  NonNullable<E["~types"]> extends { readonly item: infer Item } ? Item : unknown;

/** Options of a call in addition to its input. Only a submission has an idempotency key. */
export type OptionsOf<E extends Endpoint> = "submission" extends E["kind"]
  ? WithHeaders<NonNullable<E["~types"]>, SubmissionOptions>
  : WithHeaders<NonNullable<E["~types"]>, CallOptions>;

/** Options of a call whose `headers` allow only declared headers and FurtherHeaders, so a misspelt name is an error. */
type WithHeaders<Types, Options extends CallOptions> = "headers" extends keyof Types
  ? unknown extends Types["headers"]
    ? Omit<Options, "headers"> & { readonly headers?: object | undefined }
    : Omit<Options, "headers"> & { readonly headers?: FurtherHeaders }
  : Options;

/** Argument of a call: the endpoint's input and the options of the call in one object. */
export type ArgumentsOf<E extends Endpoint> =
  Record<never, never> extends InputOf<E>
    ? [input?: InputOf<E> & OptionsOf<E>]
    : [input: InputOf<E> & OptionsOf<E>];

/** Argument of `submit`: the input and the options of the submission, its key, and the store of the key. */
export type SubmitInput<E extends Endpoint> = InputOf<E> &
  Omit<OptionsOf<E>, "idempotencyKey"> & {
    /**
     * Identifies this submission in your system, such as `case-4711`. Choose the key before the first call, and use the
     * same key in every later call. 1 to 255 characters of printable ASCII without space, quotation mark and backslash,
     * no personal data.
     */
    readonly key: string;
    /** Stores the key before the submission is sent, so that `resume` finds it after a crash. */
    readonly store?: KeyStore | undefined;
  };

/** A provider's endpoints as functions. */
export type ProviderClient<P extends Provider<object>> = {
  readonly [Name in keyof P["endpoints"]]: P["endpoints"][Name] extends Endpoint
    ? (...input: ArgumentsOf<P["endpoints"][Name]>) => ResultOf<P["endpoints"][Name]>
    : never;
};

/** Client of the Insurance Gateway. */
export interface Gateway {
  /**
   * Returns the endpoints of a provider as functions.
   * @throws ConfigurationError if the provider's package was built for another version of the contract
   */
  provider<P extends Provider<object>>(provider: P): ProviderClient<P>;
  /** Calls one endpoint. A program that uses only this method bundles only the endpoints that it calls. */
  call<E extends Endpoint>(endpoint: E, ...input: ArgumentsOf<E>): ResultOf<E>;
  /**
   * Sends a submission only once, even if this function is called several times with the same key. Returns one of five
   * results, which differ by `outcome`.
   * @throws ConfigurationError, or an error of the key store; nothing was sent then
   */
  submit<E extends Endpoint<"submission">>(
    endpoint: E,
    input: SubmitInput<E>,
  ): Promise<SubmissionResult<ResponseOf<E>>>;
  /**
   * After a crash, queries the gateway for the results of the submissions whose keys are stored. Sends no submission.
   * @param endpoints - the endpoints of all stored keys
   * @param options - `timeout` limits all queries together. By default, only each single query has a limit, the
   *   client's `timeout`
   * @returns the result for each stored key; remove the key after you have saved its result. A key that could not be
   *   queried is `unknown`, and its error has the `code` of the failed query, such as TIMEOUT
   * @throws ConfigurationError if an endpoint is missing, or an argument has the wrong type
   */
  resume<E extends Endpoint<"submission">>(
    store: KeyStore,
    endpoints: readonly E[],
    options?: ResolveOptions,
  ): Promise<readonly ResumedSubmission<ResponseOf<E>>[]>;
  /**
   * Reads the state of one of this client's submissions from the gateway, without calling the insurer.
   * @param submissionId - from an OutcomeUnknownError, or the last segment of the `location` of a submission's answer
   * @throws ProblemError with code SUBMISSION_NOT_FOUND if this client has no submission with the id
   */
  submission(submissionId: string, options?: CallOptions): Call<SubmissionStatus>;
  /**
   * Reads the state of the submission that this client's caller sent with a key, without calling the insurer.
   * @throws ProblemError with code SUBMISSION_NOT_FOUND if no submission was sent with the key; ConfigurationError if
   *   an argument has the wrong type
   */
  submissionByKey(
    endpoint: Endpoint,
    key: string,
    options?: ResolveOptions & Pick<CallOptions, "segment">,
  ): Promise<SubmissionStatus>;
  /** Reads the availability of all insurers from the gateway, without calling an insurer. The token needs no scope. */
  providers(options?: CallOptions): Call<ProviderStatusList>;
  /**
   * Reads an insurer's current availability, and its availability on each of the last 90 days, from the gateway,
   * without calling the insurer.
   * @param segment - the provider's path segment on this gateway, as `providers()` lists it
   * @throws ProblemError with code NOT_FOUND if no provider of the gateway has this segment
   */
  providerStatus(segment: string, options?: CallOptions): Call<ProviderHistory>;
  /**
   * Makes several calls at once, such as a quote of each insurer, and yields each result as soon as it arrives. Nothing
   * is sent before the iteration begins. If the calling program leaves the iteration, and at the time limit, the client
   * cancels the running calls, down to the insurers.
   * @param calls - functions that start a call of this client. The limits apply to the call that a function starts at
   *   once; pass the function's argument to later calls: `(limits) => gateway.call(endpoint, { body, ...limits })`
   * @returns for each name, the answer or the error of the call. An error that is not a GatewayError ends the iteration
   * @throws ConfigurationError if an argument has the wrong type
   */
  each<C extends Calls>(calls: C, options?: EachOptions): AsyncIterable<EachResult<C>>;
  /** Waits for running calls and ends every `resolve()`, then closes every connection, so that the process can exit. */
  close(): Promise<void>;
  /** Closes the client at the end of its block: `await using gateway = createGateway(…)`. */
  [Symbol.asyncDispose](): Promise<void>;
}
