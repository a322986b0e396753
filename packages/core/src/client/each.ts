import { ConfigurationError, GatewayError } from "../errors/index.ts";
import type { CancellationSignal, TransportTime } from "../transport/transport.ts";
import { checkOptions, isObjectNotList } from "./argument.ts";
import { LONGEST_TIMEOUT_MS } from "./options.ts";

/** Options that limit one of the calls of `each`. A callback passes these options to its call. */
export interface CallLimits {
  readonly signal: CancellationSignal;
  /** Time left for `each` in milliseconds, or the client's `timeout` if it is shorter. */
  readonly timeout: number;
}

/** Callbacks of `each` by name. Each callback starts one call. */
export type Calls = Readonly<Record<string, (limits: CallLimits) => PromiseLike<unknown>>>;

/** Answer or error of one of the calls of `each`. `name` determines the type of `data`. */
export type EachResult<C extends Calls> = {
  [Name in keyof C]:
    | {
        readonly name: Name;
        readonly data: Awaited<ReturnType<C[Name]>>;
        readonly error: null;
      }
    | { readonly name: Name; readonly data: null; readonly error: GatewayError };
}[keyof C];

/** Options of `each`. */
export interface EachOptions {
  /** Time limit of all calls together, in milliseconds. Default: each call has its own limit. */
  readonly within?: number | undefined;
  /** Cancels all calls that are still running. */
  readonly signal?: CancellationSignal | undefined;
}

/** Limits that all calls of one `each` share. */
export interface SharedLimits {
  readonly signal: CancellationSignal;
  /** Returns the time left for `each` in milliseconds; Infinity without a limit. */
  readonly leftMs: () => number;
}

/** Starts a call under the shared limits. */
export type StartLimited = (shared: SharedLimits, call: Calls[string]) => PromiseLike<unknown>;

/** Answer or error of one of the calls of `each`, regardless of its type. */
interface NamedResult {
  readonly name: string;
  readonly data: unknown;
  readonly error: GatewayError | null;
}

/**
 * Makes several calls at once and yields each result as soon as it arrives. Running calls are cancelled at the time
 * limit, and if the iteration ends early.
 * @param time - the client's clock, which measures the time limit
 * @throws ConfigurationError if an argument has the wrong type
 */
export function runEach(
  calls: Calls,
  options: EachOptions,
  start: StartLimited,
  time: Pick<TransportTime, "elapsed">,
): AsyncIterable<NamedResult> {
  checkOptions(options, ["within", "signal"]);
  if (!isObjectNotList(calls) || !Object.values(calls).every((call) => typeof call === "function"))
    throw new ConfigurationError(["each() needs an object of functions that start a call"]);
  const { within = LONGEST_TIMEOUT_MS } = options;
  if (typeof within !== "number" || !(within > 0))
    throw new ConfigurationError(["within must be a positive number of milliseconds"]);
  return { [Symbol.asyncIterator]: () => startAndYieldResults(calls, options, start, time) };
}

async function* startAndYieldResults(
  calls: Calls,
  { signal, within }: EachOptions,
  start: StartLimited,
  time: Pick<TransportTime, "elapsed">,
): AsyncGenerator<NamedResult> {
  const deadline = time.elapsed() + (within ?? Number.POSITIVE_INFINITY);
  const open = new Map<
    string,
    { readonly stop: AbortController; readonly end: Promise<CallEnd> }
  >();
  const stopAll = (reason?: unknown): void => {
    for (const { stop } of open.values()) stop.abort(reason);
  };
  const cancel = (): void => stopAll(signal?.reason);
  const late = (): void => stopAll(new DOMException("The time is over", "TimeoutError"));
  const timer =
    within === undefined ? undefined : setTimeout(late, Math.min(within, LONGEST_TIMEOUT_MS));
  for (const [name, call] of Object.entries(calls)) {
    const stop = new AbortController();
    const shared = { signal: stop.signal, leftMs: () => deadline - time.elapsed() };
    open.set(name, { stop, end: awaitCallEnd(name, () => start(shared, call)) });
  }
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted) cancel();
  try {
    while (open.size > 0) {
      const { result, thrown } = await Promise.race([...open.values()].map(({ end }) => end));
      if (result === null) throw thrown;
      open.delete(result.name);
      yield result;
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    stopAll();
  }
}

/** End of a call. An error that is not a GatewayError is a fault of a callback and ends the iteration. */
type CallEnd =
  | { readonly result: NamedResult; readonly thrown?: never }
  | { readonly result: null; readonly thrown: unknown };

/** Starts a call and waits for its answer or its error. */
async function awaitCallEnd(name: string, start: () => PromiseLike<unknown>): Promise<CallEnd> {
  try {
    return { result: { name, data: await start(), error: null } };
  } catch (error) {
    if (!GatewayError.isInstance(error)) return { result: null, thrown: error };
    return { result: { name, data: null, error } };
  }
}

/**
 * Returns a signal that aborts with the first of two signals. `AbortSignal.any` refuses signals of another realm and a
 * program's own signal types.
 */
export function combineSignals(
  given: CancellationSignal | undefined,
  other: CancellationSignal,
): CancellationSignal {
  if (given === undefined || given === other) return other;
  if (given instanceof AbortSignal && other instanceof AbortSignal)
    return AbortSignal.any([given, other]);
  const both = [given, other];
  const aborted = (): CancellationSignal | undefined => both.find((one) => one.aborted);
  return {
    get aborted() {
      return aborted() !== undefined;
    },
    get reason() {
      return aborted()?.reason;
    },
    addEventListener(type, listener) {
      for (const one of both) one.addEventListener(type, listener);
    },
    removeEventListener(type, listener) {
      for (const one of both) one.removeEventListener(type, listener);
    },
  };
}
