import { createTokenSupplier } from "../auth/token-source.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Fault } from "../contract/faults.ts";
import { contractVersion, type Provider } from "../contract/provider.ts";
import {
  ConfigurationError,
  GatewayError,
  RequestInvalidError,
  type ResolveOptions,
} from "../errors/index.ts";
import type { SubmissionResult } from "../errors/outcome-unknown-error.ts";
import { listProviders, readProviderStatus } from "../own/provider-status.ts";
import { findSubmission, readSubmission, type SubmissionStatus } from "../own/submission-status.ts";
import { realTime, type TransportResponse } from "../transport/transport.ts";
import { readAnswer, responseHeadOf } from "./answer.ts";
import { argumentFaults, checkOptions, isObjectNotList, isSegment } from "./argument.ts";
import { type AttemptContext, sendWithRetries, userAgent } from "./attempts.ts";
import { asCall, type Call, type WithResponse } from "./call.ts";
import { combineSignals, runEach, type SharedLimits, type StartLimited } from "./each.ts";
import type { Gateway } from "./gateway.ts";
import { callHook, logSafeFailure, type ReportFailure } from "./hooks.ts";
import { KEY_HEADER, mayBeEarlierKey, quotedKey } from "./idempotency-key.ts";
import { isKeyStore, type KeyStore } from "./key-store.ts";
import { kindCodeOf, type SendAndRead } from "./kind-code.ts";
import {
  type CallOptions,
  type ConnectionSetup,
  callTimeoutMs,
  checkedBaseUrl,
  type GatewayOptions,
} from "./options.ts";
import {
  type CallInput,
  endpointNameOf,
  type PreparedRequest,
  prepareRequest,
  type UncheckedInput,
} from "./request.ts";
import type { QueryOptions, ResumedSubmission, SubmissionQueries } from "./submission-queries.ts";

/**
 * Opens a client of the Insurance Gateway.
 * @param connections - how the entry point connects: over undici or over `fetch`
 * @throws ConfigurationError with every fault of the options
 */
export function openGateway(options: GatewayOptions, connections: ConnectionSetup): Gateway {
  const baseUrl = checkedBaseUrl(options, connections);
  const transport = options.transport ?? connections.open(options, baseUrl);
  const { time = realTime } = transport;
  const tokens = createTokenSupplier(
    options.token,
    { transport, timeoutMs: callTimeoutMs({}, options) },
    time,
  );
  const agent = userAgent();
  const segments = new Map(Object.entries(options.segments ?? {}));

  function addressOf(provider: string, segment?: string): string {
    return provider === ""
      ? baseUrl
      : `${baseUrl}/${segment ?? segments.get(provider) ?? provider}`;
  }

  const report: ReportFailure = (error) => {
    callHook(options.onError, logSafeFailure(error));
    return error;
  };

  /** Passes the error of a call to the hook `onError`. The errors of the client's own queries are not passed. */
  function reported<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return answer.catch((error: unknown) => {
      throw GatewayError.isInstance(error) ? report(error) : error;
    });
  }

  function contextOf(endpoint: Endpoint, input: UncheckedInput): AttemptContext {
    return {
      transport,
      tokens,
      timeoutMs: callTimeoutMs(input, options),
      conclude(submission, earlier, last) {
        const { submissions } = kindCodeOf(endpoint);
        if (submission === null || submissions === undefined) return last.failure;
        const resolve = submissions.resolverOf(queries, endpoint, input.segment);
        const asked = { ...submission, resolve, now: time.now };
        return submissions.concluded(endpoint, asked, earlier, last);
      },
      userAgent: agent,
      onAttempt: options.onAttempt,
      remedies: connections.remedies,
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    };
  }

  function readState(submissionId: string, callOptions?: CallOptions): Call<SubmissionStatus> {
    return typedCall(readSubmission, { ...callOptions, params: { submissionId } });
  }

  const closing = new AbortController();
  const defaultMs = callTimeoutMs({}, options);
  const queries: SubmissionQueries = {
    closed: closing.signal,
    time,
    longestMs: defaultMs,
    limited: (given) => limited(given, Number.POSITIVE_INFINITY),
    submission: (submissionId, limits) => ask(readSubmission, { params: { submissionId } }, limits),
    submissionByKey(endpoint, key, limits) {
      const segment = addressOf(endpoint.provider, limits.segment).slice(baseUrl.length + 1);
      const query = { segment, endpoint: endpointNameOf(endpoint) };
      return ask(findSubmission, { query, headers: { [KEY_HEADER]: quotedKey(key) } }, limits);
    },
  };

  /** Queries the gateway for the state of a submission. */
  async function ask(
    endpoint: typeof readSubmission | typeof findSubmission,
    part: CallInput,
    limits: ResolveOptions,
  ): Promise<SubmissionStatus> {
    const answer = await exchange(endpoint, part, limits, [], (response) =>
      readAnswer(endpoint, response),
    );
    // The endpoint's schema has checked that the answer is a SubmissionStatus.
    return answer.data as SubmissionStatus;
  }

  /** Checks a request, sends it and reads its answer. */
  async function exchange<Data>(
    endpoint: Endpoint,
    part: CallInput,
    input: UncheckedInput,
    faults: readonly Fault[],
    read: (response: TransportResponse) => Promise<Data>,
    beforeSending: () => Promise<void> = async () => undefined,
  ): Promise<WithResponse<Data>> {
    const request = await preparedOrRefused(endpoint, part, input, faults);
    await beforeSending();
    const key = request.submission?.key ?? null;
    return sendWithRetries(endpoint, request, contextOf(endpoint, input), async (response) => ({
      status: response.status,
      data: await read(response),
      response: responseHeadOf(response, key),
    }));
  }

  async function preparedOrRefused(
    endpoint: Endpoint,
    part: CallInput,
    input: UncheckedInput,
    faults: readonly Fault[],
  ): Promise<PreparedRequest> {
    try {
      // `faults` contains the fault of an invalid segment.
      const segment = isSegment(input.segment) ? input.segment : undefined;
      return prepareRequest(endpoint, part, addressOf(endpoint.provider, segment), input, faults);
    } catch (error) {
      const { submissions } = kindCodeOf(endpoint);
      if (submissions === undefined || !RequestInvalidError.isInstance(error)) throw error;
      throw await submissions.unsentError(endpoint, input, error, {
        ask: (key) => queries.submissionByKey(endpoint, key, queryOptionsOf(input)),
        resolve: submissions.resolverOf(queries, endpoint, input.segment),
        now: time.now,
      });
    }
  }

  function call(endpoint: Endpoint, argument: unknown = {}): unknown {
    const code = kindCodeOf(endpoint);
    const faults = argumentFaults(endpoint, argument);
    // The faults are reported before any part of the argument is used.
    const input: UncheckedInput = limited(isObjectNotList(argument) ? argument : {}, defaultMs);
    const run: SendAndRead = (part, read) =>
      reported(exchange(endpoint, part, input, faults, read));
    return code.call === undefined
      ? asCall(run(input, (response) => readAnswer(endpoint, response)))
      : code.call(endpoint, input, run, report);
  }

  async function submit(endpoint: Endpoint, argument: unknown): Promise<SubmissionResult> {
    const { submissions } = kindCodeOf(endpoint);
    if (submissions === undefined)
      throw new ConfigurationError(["submit() needs the endpoint of a submission"]);
    return submissions.submit(endpoint, argument, (given, faults, read, beforeSending) => {
      const input = limited(given, defaultMs);
      return reported(exchange(endpoint, input, input, faults, read, beforeSending));
    });
  }

  async function resume(
    store: KeyStore,
    endpoints: readonly Endpoint[],
    options: QueryOptions = {},
  ): Promise<readonly ResumedSubmission[]> {
    if (!isKeyStore(store) || !Array.isArray(endpoints))
      throw new ConfigurationError(["resume() needs a KeyStore and a list of endpoints"]);
    const others = endpoints
      .filter((one) => kindCodeOf(one).submissions === undefined)
      .map(endpointNameOf);
    if (others.length > 0)
      throw new ConfigurationError(
        others.map(
          (name) => `${name} is not a submission: resume() needs endpoints of submissions`,
        ),
      );
    const [first] = endpoints;
    const { submissions } = first === undefined ? {} : kindCodeOf(first);
    if (submissions !== undefined) return submissions.resumeAll(queries, store, endpoints, options);
    if ((await store.list()).length > 0)
      throw new ConfigurationError(["resume() needs the endpoint of each key in the store"]);
    return [];
  }

  /** Limits that `each` shares with the call that it is starting; null at any other time. */
  let shared: SharedLimits | null = null;

  const startLimited: StartLimited = (limits, call) => {
    shared = limits;
    try {
      return call({
        signal: limits.signal,
        get timeout() {
          return Math.min(defaultMs, limits.leftMs());
        },
      });
    } finally {
      shared = null;
    }
  };

  /** Adds the limits of `each` to a call that `each` starts. */
  function limited<Input extends ResolveOptions>(input: Input, ownMs: number): Input {
    if (shared === null) return input;
    const timeout = Math.min(input.timeout ?? ownMs, shared.leftMs());
    return { ...input, timeout, signal: combineSignals(input.signal, shared.signal) };
  }

  function close(): Promise<void> {
    closing.abort();
    return transport.close();
  }

  // The result of `call` depends on the endpoint's kind, as ResultOf declares.
  const typedCall: Gateway["call"] = (endpoint, argument?: unknown) =>
    call(endpoint, argument) as never;

  return {
    // Each function calls the endpoint of its name, as ProviderClient declares.
    provider: (provider) => endpointFunctionsOf(provider, call) as never,
    call: typedCall,
    // The endpoint's schema checked the data of the result.
    submit: (endpoint, input) => submit(endpoint, input) as never,
    // Each endpoint's schema checked the data of its results.
    resume: resume as Gateway["resume"],
    submission: readState,
    async submissionByKey(endpoint, key, given = {}) {
      // Throws an error if the value is not an endpoint.
      kindCodeOf(endpoint);
      checkOptions(given, ["signal", "timeout", "segment"]);
      if (!mayBeEarlierKey(endpoint, key))
        throw new ConfigurationError([
          "submissionByKey() needs a submission's endpoint and its key",
        ]);
      return reported(queries.submissionByKey(endpoint, key, limited(given, defaultMs)));
    },
    providers: (callOptions) => typedCall(listProviders, { ...callOptions }),
    providerStatus: (segment, callOptions) =>
      typedCall(readProviderStatus, { ...callOptions, params: { segment } }),
    // EachResult derives the type of each result from the call's function.
    each: ((calls, limits = {}) => runEach(calls, limits, startLimited, time)) as Gateway["each"],
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns the options of a submission's call that also apply to queries for this submission. */
function queryOptionsOf({ segment, signal, timeout }: UncheckedInput): QueryOptions {
  return { segment, signal, timeout };
}

/** Returns the endpoints of a provider as functions. */
function endpointFunctionsOf(
  provider: Provider<object>,
  call: (endpoint: Endpoint, argument?: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  // The type allows only this contract version, but a package may have been built for another version.
  const built: number = provider.contract;
  if (built !== contractVersion)
    throw new ConfigurationError([
      `${provider.id} was built for contract version ${built}, and this client needs ${contractVersion}: install matching versions of its package and core`,
    ]);
  return Object.fromEntries(
    Object.entries(provider.endpoints).map(([name, endpoint]) => [
      name,
      (argument?: unknown) => call(endpoint, argument),
    ]),
  );
}
