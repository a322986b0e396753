/** The HTTP methods that an endpoint can declare. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The policy of a kind of endpoint, the same for all providers (interface specification, "What the service does"). */
export interface KindPolicy {
  /** The methods that an endpoint of the kind may declare; the first one is the default. */
  readonly methods: readonly [Method, ...Method[]];
  /** True if a call can change something at the insurer; such a call is sent only once. */
  readonly actsAtInsurer: boolean;
  /**
   * True if the gateway may return a stale response if the insurer fails (stale-if-error, RFC 5861). Only for data that
   * is the same for everyone.
   */
  readonly servedStale: boolean;
  /** The `Cache-Control` of a successful answer. */
  readonly cacheControl: string;
}

/** The six kinds of endpoint; the kind fixes an endpoint's policy. */
export type EndpointKind = "lookup" | "read" | "search" | "document" | "quote" | "submission";

/** The policy of every kind. No other code defines the meaning of a kind. */
export const kindPolicies: Readonly<Record<EndpointKind, KindPolicy>> = {
  /** Read-only reference data. */
  lookup: {
    methods: ["GET"],
    actsAtInsurer: false,
    servedStale: true,
    cacheControl: "private, max-age=3600",
  },
  /** A private read of one item. */
  read: {
    methods: ["GET", "POST"],
    actsAtInsurer: false,
    servedStale: false,
    cacheControl: "no-store",
  },
  /** A paged list. */
  search: {
    methods: ["GET", "POST"],
    actsAtInsurer: false,
    servedStale: false,
    cacheControl: "no-store",
  },
  /** A file download, streamed. */
  document: {
    methods: ["GET", "POST"],
    actsAtInsurer: false,
    servedStale: false,
    cacheControl: "private",
  },
  /** A calculation that stores nothing. */
  quote: {
    methods: ["POST", "GET"],
    actsAtInsurer: false,
    servedStale: false,
    cacheControl: "no-store",
  },
  /** A call that creates or changes something at the insurer. */
  submission: {
    methods: ["POST", "PUT", "PATCH", "DELETE"],
    actsAtInsurer: true,
    servedStale: false,
    cacheControl: "no-store",
  },
};

/** Reports whether a call of an endpoint can change something at the insurer. */
export function actsAtInsurer({ kind }: { readonly kind: EndpointKind }): boolean {
  return kindPolicies[kind].actsAtInsurer;
}
