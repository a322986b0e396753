import { environmentToken } from "../auth/token-source.ts";
import type { ByStatus } from "../contract/answers.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { InputOf, ResponseOf, TypesOf } from "../contract/input.ts";
import { pagingOf } from "../contract/paging.ts";
import type { Provider } from "../contract/provider.ts";
import { createTransport, type TransportResponse } from "../transport/index.ts";
import { headOf, invalid, readAnswer, refuseOtherFile } from "./answer.ts";
import { argumentFaults, isNamedValues } from "./argument.ts";
import { attempt, type Sending } from "./attempts.ts";
import { asCall, type Call, type WithResponse } from "./call.ts";
import { asDownload, type Download } from "./download.ts";
import { sentKey } from "./idempotency-key.ts";
import {
  type CallOptions,
  checkedBaseUrl,
  type FurtherHeaders,
  type GatewayOptions,
  type SubmissionOptions,
  timeoutOf,
} from "./options.ts";
import {
  type ProviderHistory,
  type ProviderStatusList,
  readProviderStatus,
  readProviders,
} from "./provider-status.ts";
import { type CallInput, prepare } from "./request.ts";
import { asSearch, type SearchCall } from "./search.ts";
import { readSubmission, type SubmissionStatus } from "./submission-status.ts";

/** The return type of a call, which depends on the endpoint's kind. */
export type ResultOf<E extends Endpoint> = E["kind"] extends "document"
  ? Call<Download>
  : E["kind"] extends "search"
    ? SearchCall<ItemOf<E>, ResponseOf<E>>
    : Call<ResponseOf<E>, AnswerOf<E>>;

/** An answer with its head. If answers differ by status, it is a union that `status` narrows. */
type AnswerOf<E extends Endpoint> =
  TypesOf<E>["response"] extends ByStatus<infer Answered>
    ? {
        [Status in keyof Answered & number]: WithResponse<Answered[Status], Status>;
      }[keyof Answered & number]
    : WithResponse<ResponseOf<E>>;

/** The declared item type of a search; `unknown` if the types do not know the declaration. */
type ItemOf<E extends Endpoint> =
  NonNullable<E["~types"]> extends { readonly item: infer Item } ? Item : unknown;

/** The options of a call in addition to its input. Only a submission has an idempotency key. */
export type OptionsOf<E extends Endpoint> = "submission" extends E["kind"]
  ? WithHeaders<NonNullable<E["~types"]>, SubmissionOptions>
  : WithHeaders<NonNullable<E["~types"]>, CallOptions>;

/**
 * If an endpoint declares headers, `headers` allows only these and the common ones, so that the compiler finds a
 * misspelt name.
 */
type WithHeaders<Types, Options extends CallOptions> = "headers" extends keyof Types
  ? unknown extends Types["headers"]
    ? Omit<Options, "headers"> & { readonly headers?: object | undefined }
    : Omit<Options, "headers"> & { readonly headers?: FurtherHeaders }
  : Options;

/** The argument of a call: the endpoint's input and the options of the call in one object. */
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
  /** Calls one endpoint. An application that uses only this method bundles only the endpoints that it calls. */
  call<E extends Endpoint>(endpoint: E, ...input: ArgumentsOf<E>): ResultOf<E>;
  /**
   * Reads the state of one of this client's submissions from the gateway, without calling the insurer.
   * @param submissionId - from an OutcomeUnknownError, or the last segment of the `location` of a submission's answer
   * @throws ProblemError with code SUBMISSION_NOT_FOUND if this client has no submission with the id
   */
  submission(submissionId: string, options?: CallOptions): Call<SubmissionStatus>;
  /** Reads the availability of all insurers from the gateway, without calling an insurer. The token needs no scope. */
  providers(options?: CallOptions): Call<ProviderStatusList>;
  /**
   * Reads an insurer's current availability and that of each of the last 90 days from the gateway, without calling the
   * insurer.
   * @param segment - the provider's path segment on this gateway, as `providers()` lists it
   * @throws ProblemError with code NOT_FOUND if no provider of the gateway has this segment
   */
  providerStatus(segment: string, options?: CallOptions): Call<ProviderHistory>;
  /** Waits for running calls, then closes every connection, so that the process can exit. */
  close(): Promise<void>;
}

/**
 * Creates a client of the Insurance Gateway. It sends nothing until the first call.
 * @throws ConfigurationError with every fault of the options
 */
export function createGateway(options: GatewayOptions): Gateway {
  const baseUrl = checkedBaseUrl(options);
  const transport = options.transport ?? createTransport();

  function addressOf(provider: string): string {
    return provider === "" ? baseUrl : `${baseUrl}/${options.segments?.[provider] ?? provider}`;
  }

  function call(endpoint: Endpoint, argument: unknown = {}): unknown {
    const faults = argumentFaults(endpoint, argument);
    // Its faults are reported before anything in it is used.
    const input: UncheckedInput = isNamedValues(argument) ? argument : {};
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
      const request = prepare(endpoint, part, addressOf(endpoint.provider), input, faults);
      return attempt(endpoint, request, sending, async (response) => ({
        status: response.status,
        data: await read(response),
        response: headOf(response, sentKey(request.headers)),
      }));
    };
    return callers[
      endpoint.kind === "document" || endpoint.kind === "search" ? endpoint.kind : "json"
    ](endpoint, input, run);
  }

  // `call` returns by the endpoint's kind what ResultOf derives from its type.
  const typedCall: Gateway["call"] = (endpoint, argument?: unknown) =>
    call(endpoint, argument) as never;

  return {
    // Each function calls the endpoint of its name, as ProviderClient declares.
    provider: (provider) => functionsOf(provider, call) as never,
    call: typedCall,
    submission: (submissionId, callOptions) =>
      typedCall(readSubmission, { ...callOptions, params: { submissionId } }),
    providers: (callOptions) => typedCall(readProviders, { ...callOptions }),
    providerStatus: (segment, callOptions) =>
      typedCall(readProviderStatus, { ...callOptions, params: { segment } }),
    close: () => transport.close(),
  };
}

/** The input and the options of a call of any endpoint. */
type UncheckedInput = CallInput & Omit<SubmissionOptions, "headers">;

type Run = <Data>(
  input: CallInput,
  read: (response: TransportResponse) => Promise<Data>,
) => Promise<WithResponse<Data>>;

const callers = {
  json: (endpoint: Endpoint, input: CallInput, run: Run) =>
    asCall(run(input, (response) => readAnswer(endpoint, response))),

  document: (endpoint: Endpoint, input: CallInput, run: Run) =>
    asCall(
      run(input, async (response) => {
        await refuseOtherFile(endpoint, response);
        return asDownload(endpoint, response);
      }),
    ),

  search: (endpoint: Endpoint, input: CallInput, run: Run) =>
    asSearch({
      paging: pagingOf(endpoint),
      input,
      fetchPage: (asked) => run(asked, (response) => readAnswer(endpoint, response)),
      mismatch: (head, message) => invalid(endpoint, head, [], message),
    }),
};

function functionsOf(
  provider: Provider<object>,
  call: (endpoint: Endpoint, argument?: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(provider.endpoints).map(([name, endpoint]) => [
      name,
      (argument?: unknown) => call(endpoint, argument),
    ]),
  );
}
