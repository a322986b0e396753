import { environmentToken } from "../auth/token-source.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { InputOf, ResponseOf } from "../contract/input.ts";
import type { Page, PageQuery } from "../contract/page.ts";
import type { Provider } from "../contract/provider.ts";
import { createTransport, type TransportResponse } from "../transport/index.ts";
import { headOf, invalid, readJson, refuseOtherFile } from "./answer.ts";
import { attempt, type Sending } from "./attempts.ts";
import { asCall, type Call, type WithResponse } from "./call.ts";
import { asDownload, type Download } from "./download.ts";
import { sentKey } from "./idempotency-key.ts";
import {
  type CallOptions,
  checkedBaseUrl,
  type GatewayOptions,
  type SubmissionOptions,
  timeoutOf,
} from "./options.ts";
import { type CallInput, prepare } from "./request.ts";
import { asSearch, type SearchCall } from "./search.ts";
import { readSubmission, type SubmissionStatus } from "./submission-status.ts";

/** What calling an endpoint gives, by its kind. */
export type ResultOf<E extends Endpoint> = E["kind"] extends "document"
  ? Call<Download>
  : E["kind"] extends "search"
    ? SearchCall<ItemOf<ResponseOf<E>>>
    : Call<ResponseOf<E>>;

type ItemOf<Response> = Response extends Page<infer Item> ? Item : never;

/** What a call takes beside its input, by its kind: only what can be a submission has a key. */
export type OptionsOf<E extends Endpoint> = "submission" extends E["kind"]
  ? SubmissionOptions
  : CallOptions;

/** What a call takes: the endpoint's input and the options of the call, in one object. */
export type ArgumentsOf<E extends Endpoint> =
  Record<never, never> extends InputOf<E>
    ? [input?: InputOf<E> & OptionsOf<E>]
    : [input: InputOf<E> & OptionsOf<E>];

/** A provider's endpoints as functions. */
export type ProviderClient<P extends Provider<object>> = {
  readonly [Name in keyof P["endpoints"]]: P["endpoints"][Name] extends Endpoint
    ? (...input: ArgumentsOf<P["endpoints"][Name]>) => ResultOf<P["endpoints"][Name]>
    : never;
};

/** A connection to the Insurance Gateway. */
export interface Gateway {
  /** The endpoints of a provider as functions. */
  provider<P extends Provider<object>>(provider: P): ProviderClient<P>;
  /** Calls one endpoint; an application that uses only this takes only that endpoint into its bundle. */
  call<E extends Endpoint>(endpoint: E, ...input: ArgumentsOf<E>): ResultOf<E>;
  /**
   * Asks the gateway where a submission of this caller stands; the insurer is not called.
   * @param submissionId - from an OutcomeUnknownError, or the last segment of the `location` of a submission's answer
   * @throws ProblemError with code SUBMISSION_NOT_FOUND when this caller has none of the id
   */
  submission(submissionId: string, options?: CallOptions): Call<SubmissionStatus>;
  /** Waits for what is under way, then closes every connection, so that a program can end. */
  close(): Promise<void>;
}

/**
 * Connects to the Insurance Gateway. Nothing is sent until the first call.
 * @throws ConfigurationError with every fault of the options
 */
export function createGateway(options: GatewayOptions): Gateway {
  const baseUrl = checkedBaseUrl(options);
  const transport = options.transport ?? createTransport();

  function addressOf(provider: string): string {
    return provider === "" ? baseUrl : `${baseUrl}/${options.segments?.[provider] ?? provider}`;
  }

  function call(endpoint: Endpoint, input: CallInput & SubmissionOptions = {}): unknown {
    const sending: Sending = {
      transport,
      token: options.token ?? environmentToken,
      timeoutMs: timeoutOf(input, options),
      keyGiven: input.idempotencyKey !== undefined,
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    };
    const run = async <Data>(
      part: CallInput,
      read: (response: TransportResponse) => Promise<Data>,
    ): Promise<WithResponse<Data>> => {
      const request = prepare(endpoint, part, addressOf(endpoint.provider), input);
      return attempt(endpoint, request, sending, async (response) => ({
        data: await read(response),
        response: headOf(response, sentKey(request.headers)),
      }));
    };
    return callers[
      endpoint.kind === "document" || endpoint.kind === "search" ? endpoint.kind : "json"
    ](endpoint, input, run);
  }

  // `call` gives by the endpoint's kind what ResultOf says by its type.
  const typedCall: Gateway["call"] = (endpoint, input?: CallInput & SubmissionOptions) =>
    call(endpoint, input) as never;

  return {
    // Each function calls the endpoint of its own name, which is what ProviderClient says.
    provider: (provider) => functionsOf(provider, call) as never,
    call: typedCall,
    submission: (submissionId, callOptions) =>
      typedCall(readSubmission, { ...callOptions, params: { submissionId } }),
    close: () => transport.close(),
  };
}

type Run = <Data>(
  input: CallInput,
  read: (response: TransportResponse) => Promise<Data>,
) => Promise<WithResponse<Data>>;

const callers = {
  json: (endpoint: Endpoint, input: CallInput, run: Run) =>
    asCall(run(input, (response) => readJson(endpoint, response))),

  document: (endpoint: Endpoint, input: CallInput, run: Run) =>
    asCall(
      run(input, async (response) => {
        await refuseOtherFile(endpoint, response);
        return asDownload(endpoint, response);
      }),
    ),

  search: (endpoint: Endpoint, input: CallInput, run: Run) => {
    // A search's query has `start` and `limit` beside its own parameters; the schema checks them before they are sent.
    const query = (input.query ?? {}) as PageQuery;
    return asSearch<unknown>(
      query,
      (start) =>
        run(
          { ...input, query: { ...query, start } },
          // The schema that accepts the answer is a page's.
          async (response) => (await readJson(endpoint, response)) as Page<unknown>,
        ),
      (head) => invalid(endpoint, head, [], "The answer is not the page that was asked for."),
    );
  },
};

function functionsOf(
  provider: Provider<object>,
  call: (endpoint: Endpoint, input?: CallInput & SubmissionOptions) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(provider.endpoints).map(([name, endpoint]) => [
      name,
      (input?: CallInput & SubmissionOptions) => call(endpoint, input),
    ]),
  );
}
