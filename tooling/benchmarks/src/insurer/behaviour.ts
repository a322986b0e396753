/** How an insurer answers. */
export interface InsurerBehaviour {
  readonly afterMs: number;
  readonly status: number;
  readonly body: string;
  /** Requests with this x-agency-key are 401 instead; none when left out. */
  readonly refusedKey?: string;
}

/** What the process of an insurer is told. */
export type InsurerOrder = { readonly behave: InsurerBehaviour } | { readonly report: true };

/** What it tells. */
export type InsurerReport =
  | { readonly port: number }
  | { readonly behaves: true }
  /** When each request reached it, in milliseconds since 1970. */
  | { readonly arrivedAt: Float64Array };
