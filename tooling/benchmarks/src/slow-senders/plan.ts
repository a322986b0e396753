/** Connections on which a request arrives a byte at a time; one that is closed is made anew. */
export interface SlowPlan {
  readonly port: number;
  readonly connections: number;
  /** What each connection sends at once. */
  readonly opening: string;
  /** What it sends after that, again and again. */
  readonly byte: string;
  readonly everyMs: number;
}

/** One slow connection, from when it was made. */
export interface SlowLife {
  readonly livedMs: number;
  /** The status and the code that it was answered with; null when nothing came. */
  readonly answer: string | null;
  /** Whether the other end closed it; otherwise it lived until the end. */
  readonly closed: boolean;
}

/** What the process of slow senders is told. */
export type SlowOrder = { readonly begin: SlowPlan } | { readonly end: true };

/** What it tells, when it has ended. */
export interface SlowReport {
  readonly lives: readonly SlowLife[];
}
