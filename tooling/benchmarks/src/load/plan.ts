/** A call that is sent again and again. */
export interface LoadCall {
  /** Names it among the samples. */
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A load at a constant rate: a call is sent when it is due, whatever became of those before it. */
export interface LoadPlan {
  /** Where to, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** Sent in turn. */
  readonly calls: readonly LoadCall[];
  readonly perSecond: number;
  /** So many connections are kept; a call that is due when each carries one already is not sent. */
  readonly connections: number;
  /** How long one waits for the head of an answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** How a call ended for the one who made it. */
export interface Ending {
  /** Null when no answer came. */
  readonly status: number | null;
  /** The problem's code, or what the connection failed with. */
  readonly code: string | null;
  /** The error of Proxy-Status (RFC 9209). */
  readonly proxyError: string | null;
  readonly retryAfter: boolean;
  /** Whether an old answer stood in for the insurer's. */
  readonly stale: boolean;
}

/** Every call of a load, in columns, as they cross from its process. */
export interface LoadColumns {
  /** When it was due, in milliseconds since 1970. */
  readonly dueAt: Float64Array;
  /** How much later than that it was sent, in milliseconds. */
  readonly lateMs: Float64Array;
  /** From when it was due to the last byte of its answer, in milliseconds. */
  readonly tookMs: Float64Array;
  /** Its place in the plan's calls. */
  readonly call: Uint16Array;
  /** Its place in `endings`. */
  readonly ending: Uint16Array;
  readonly endings: readonly Ending[];
  /** When those were due for which no connection was free. */
  readonly notSentAt: Float64Array;
}

/** What happened in one second. */
export interface LoadSecond {
  readonly good: number;
  readonly other: number;
  readonly inFlight: number;
}

/** What the process of a load is told. */
export type LoadOrder = { readonly begin: LoadPlan } | { readonly end: true };

/** What it tells. */
export type LoadReport = { readonly second: LoadSecond } | { readonly columns: LoadColumns };

/** Whether a call got what it asked for, from the insurer. */
export function isGood({ stale, status }: Ending): boolean {
  return status !== null && status < 300 && !stale;
}
