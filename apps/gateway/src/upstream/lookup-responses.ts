import { hash } from "node:crypto";
import {
  type Endpoint,
  encodeQuery,
  fillPath,
  kindPolicies,
} from "@insurance-gateway/core/contract";
import { LRUCache } from "lru-cache";
import { compress } from "../compression.ts";
import type { Observation, ObservedEndpoint } from "../observation/observation.ts";
import { Refusal } from "../problems/refusal.ts";
import type { UpstreamAnswer } from "./answer.ts";
import type { UpstreamCall } from "./attempt.ts";
import type { RepeatedCall } from "./repeated-call.ts";

/** How long a lookup is answered from memory, in milliseconds; 0 for never. */
export type FreshMs = (endpoint: Endpoint) => number;

/** A call that may be answered from memory, at once. */
export type AnsweringCall = (
  endpoint: Endpoint,
  call: UpstreamCall,
) => UpstreamAnswer | Promise<UpstreamAnswer>;

/** From this part of its time on, an answer from memory has the insurer asked again, in the background. */
const REFRESH_FROM = 0.8;

/**
 * Answers lookups from memory for as long as they are declared to be fresh, and asks the insurer once for all who wait for
 * the same. Serves the last good answer also when the insurer fails, or the gateway cannot ask it or has no room for its
 * answer, and marks it as stale (RFC 5861, section 4).
 */
export function answeringLookups(
  repeated: RepeatedCall,
  responses: LookupResponses,
  observation: Observation,
  observed: (endpoint: Endpoint) => ObservedEndpoint,
  freshMs: FreshMs = () => 0,
): AnsweringCall {
  const underWay = new Map<string, SharedCall>();

  async function ask(endpoint: Endpoint, call: UpstreamCall, key: string): Promise<UpstreamAnswer> {
    const epoch = responses.epoch();
    const answer = await repeated(endpoint, call);
    if (typeof answer.content !== "string") return answer;
    const freshWithinMs = freshMs(endpoint);
    const named =
      freshWithinMs > 0 ? await withCompressed(withValidator(withLength(answer))) : answer;
    const owner = endpoint.perConnection === true ? call.connection : null;
    responses.keep(key, named, { epoch, freshMs: freshWithinMs, owner });
    return named;
  }

  /** Callers wait for one call. Where it fails, those of another connection ask for themselves: it may be the first one's own. */
  function askOnce(endpoint: Endpoint, call: UpstreamCall, key: string): Promise<UpstreamAnswer> {
    // After a drop a caller starts a new call: the running one may bring the dropped answer.
    const shared = `${responses.epoch()} ${key}`;
    const known = underWay.get(shared);
    if (known !== undefined) {
      const joined = known.answer.then(collapsed);
      return known.connection === call.connection
        ? joined
        : joined.catch(() => ask(endpoint, call, key));
    }
    // It goes on for the others when its first caller goes away.
    const answer = ask(endpoint, { ...call, callerGone: null }, key).finally(() =>
      underWay.delete(shared),
    );
    underWay.set(shared, { answer, connection: call.connection });
    return answer;
  }

  /** Asks in the background; until that succeeds, what is in memory is fresh still. */
  async function refresh(endpoint: Endpoint, call: UpstreamCall, key: string): Promise<void> {
    try {
      await askOnce(endpoint, call, key);
    } catch (error) {
      const isRefused = error instanceof Refusal && error.code === "PROVIDER_AUTH_FAILED";
      // What only these credentials may see is not given to who has lost them.
      if (isRefused && endpoint.perConnection === true) responses.forget(key);
      else responses.delayRefresh(key);
    }
  }

  /** Asks the insurer, and gives a stale response where that fails. */
  async function askOrStale(
    endpoint: Endpoint,
    call: UpstreamCall,
    key: string,
  ): Promise<UpstreamAnswer> {
    const withinMs = freshMs(endpoint);
    try {
      const answer = await (withinMs === 0 ? ask : askOnce)(endpoint, call, key);
      const isText = typeof answer.content === "string";
      return isText && endpoint.freshFor !== undefined
        ? withFreshness(answer, 0, withinMs)
        : answer;
    } catch (error) {
      if (!isServerError(error)) throw error;
      const found = responses.find(key);
      if (found === null) throw error;
      observation.answeredStale(observed(endpoint));
      return marked(found.answer, found.ageSeconds, error.details.reason ?? "insurer_failed");
    }
  }

  return (endpoint, call) => {
    // A scenario that was asked for is not what the insurer says; a call of the gateway's own asks how the insurer is.
    const isCallers = call.scenario === undefined && call.once === undefined;
    if (!kindPolicies[endpoint.kind].servedStale || !isCallers) return repeated(endpoint, call);
    const key = keyOf(endpoint, call);
    const withinMs = freshMs(endpoint);
    const fresh = responses.findFresh(key, withinMs);
    if (fresh === null) return askOrStale(endpoint, call, key);
    if (fresh.mayRefresh && fresh.ageMs >= withinMs * REFRESH_FROM)
      void refresh(endpoint, call, key);
    return fromMemory(fresh, withinMs);
  };
}

/** Says that the answer is that of a call that another caller began (RFC 9211, section 2.7). */
function collapsed(answer: UpstreamAnswer): UpstreamAnswer {
  const headers = { ...answer.headers, "cache-status": "insurance-gateway; fwd=miss; collapsed" };
  return { ...answer, headers };
}

/** A call of the insurer that several callers wait for. */
interface SharedCall {
  readonly answer: Promise<UpstreamAnswer>;
  /** The connection whose credentials it uses. */
  readonly connection: string;
}

/** Callers keep an answer for an hour at most, so that what the operator drops is not theirs for longer. */
const CALLERS_KEEP_MS = 3_600_000;

function fromMemory({ ageMs, answer }: FreshResponse, withinMs: number): UpstreamAnswer {
  const left = Math.floor((withinMs - ageMs) / 1_000);
  return {
    ...answer,
    headers: {
      ...answer.headers,
      "cache-control": freshness(ageMs, withinMs),
      age: String(Math.floor(ageMs / 1_000)),
      "cache-status": `insurance-gateway; hit; ttl=${left}`,
    },
  };
}

function withFreshness(answer: UpstreamAnswer, ageMs: number, withinMs: number): UpstreamAnswer {
  const headers = { ...answer.headers, "cache-control": freshness(ageMs, withinMs) };
  return { ...answer, headers };
}

/** For how long a caller may keep an answer, counted from when the insurer gave it, as `Age` is (RFC 9111, section 4.2). */
function freshness(ageMs: number, withinMs: number): string {
  if (withinMs === 0) return "private, no-cache";
  return `private, max-age=${Math.floor(Math.min(withinMs, ageMs + CALLERS_KEEP_MS) / 1_000)}`;
}

/** Counts the bytes of an answer once for all callers. */
function withLength(answer: UpstreamAnswer): UpstreamAnswer {
  const { bytes, content, contentLength } = answer;
  if (bytes !== undefined || contentLength !== undefined || typeof content !== "string")
    return answer;
  return { ...answer, contentLength: Buffer.byteLength(content) };
}

/** Gives an answer an ETag of its content, unless the insurer gave it one. */
function withValidator(answer: UpstreamAnswer): UpstreamAnswer {
  if (answer.headers.etag !== undefined) return answer;
  const etag = `"${hash("sha256", answer.bytes ?? String(answer.content), "base64url")}"`;
  return { ...answer, headers: { ...answer.headers, etag } };
}

/**
 * Compresses an answer once for all callers. The compressed content is other bytes under the same ETag, which is therefore weak
 * (RFC 9110, section 8.8.3.3).
 */
async function withCompressed(answer: UpstreamAnswer): Promise<UpstreamAnswer> {
  const { bytes, content, headers } = answer;
  const compressed = await compress(bytes ?? Buffer.from(String(content)));
  if (compressed === null) return answer;
  const { etag = "", vary } = headers;
  const weak = etag.startsWith("W/") ? etag : `W/${etag}`;
  const chosenBy = vary === undefined ? "accept-encoding" : `${vary}, accept-encoding`;
  return { ...answer, compressed, headers: { ...headers, etag: weak, vary: chosenBy } };
}

/** Lookups have no parameter that is a customer's, so that what they are asked with can name them; connections share them. */
function keyOf(endpoint: Endpoint, { connection, input }: UpstreamCall): string {
  const owner = endpoint.perConnection === true ? connection : null;
  const path = isEmpty(input.params) ? endpoint.path : fillPath(endpoint.path, input.params);
  const target = isEmpty(input.query) ? path : path + encodeQuery(input.query, endpoint.query);
  // Most lookups take nothing: their path is their key.
  if (isEmpty(input.headers) && input.accept === undefined && owner === null) return target;
  return `${target} ${JSON.stringify([input.headers, input.accept, owner])}`;
}

function isEmpty(values: object): boolean {
  for (const _ in values) return false;
  return true;
}

/** The operator must correct credentials that the insurer refuses; stale responses would hide them. */
function isServerError(error: unknown): error is Refusal {
  return (
    error instanceof Refusal &&
    error.facts.status >= 500 &&
    error.code !== "INTERNAL_ERROR" &&
    error.code !== "PROVIDER_AUTH_FAILED"
  );
}

/** Says that it is stale and how old it is: Age (RFC 9111, section 5.1) and Cache-Status (RFC 9211), where it has no freshness left. */
function marked(answer: UpstreamAnswer, ageSeconds: number, reason: string): UpstreamAnswer {
  return {
    ...answer,
    headers: {
      ...answer.headers,
      age: String(ageSeconds),
      "cache-control": "no-store",
      "cache-status": `insurance-gateway; hit; ttl=-${ageSeconds}; detail=${reason}`,
    },
  };
}

/** An answer that is fresh, and how long ago the insurer gave it, in milliseconds. */
export interface FreshResponse {
  readonly answer: UpstreamAnswer;
  readonly ageMs: number;
  /** Whether the insurer may be asked again: for a while after a failure it is not. */
  readonly mayRefresh: boolean;
}

/** What is known of an answer that is put into memory. */
export interface KeptFacts {
  /** What `epoch` returned before the insurer was asked. */
  readonly epoch: number;
  /** How long it is fresh, in milliseconds. */
  readonly freshMs: number;
  /** The connection whose answer alone it is; null for one of all connections. */
  readonly owner: string | null;
}

/** The last good answers of lookups, which are the same for all callers unless they are declared `perConnection`. */
export interface LookupResponses {
  /** Grows when answers are dropped: what the insurer was asked before then is not put into memory. */
  epoch(): number;
  keep(key: string, answer: UpstreamAnswer, facts: KeptFacts): void;
  /** The answer and its age in whole seconds; null when there is none that is young enough. */
  find(key: string): { readonly answer: UpstreamAnswer; readonly ageSeconds: number } | null;
  /** The answer where it is younger than so many milliseconds, otherwise null. */
  findFresh(key: string, withinMs: number): FreshResponse | null;
  /** Has the insurer not asked again for this answer for a while. */
  delayRefresh(key: string): void;
  forget(key: string): void;
  /** Forgets all of them; returns how many there were. */
  drop(): number;
  /** Forgets the answers of connections that have changed. */
  dropOf(hasChanged: (connection: string) => boolean): void;
}

/** All answers of one insurer together may have this many bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

/** What an answer takes beside its text: its headers, and its place here. */
const BYTES_BESIDE = 2_048;

/** So long the insurer is not asked again in the background after that failed. */
const REFRESH_DELAY_MS = 30_000;

interface KeptResponse {
  readonly answer: UpstreamAnswer;
  readonly at: number;
  readonly owner: string | null;
  refreshFrom: number;
}

/**
 * Makes one that is empty.
 * @param staleHours - how old a response may be, as it is set now; with 0 nothing is found once it is not fresh
 */
export function createLookupResponses(
  staleHours: () => number,
  now: () => number,
): LookupResponses {
  const kept = new LRUCache<string, KeptResponse>({ maxSize: MOST_BYTES });
  const longestMs = (): number => staleHours() * 3_600_000;
  let current = 0;
  return {
    epoch: () => current,
    keep(key, answer, { epoch, freshMs, owner }) {
      if (epoch !== current || (longestMs() === 0 && freshMs === 0)) return;
      const { bytes, compressed, content } = answer;
      const characters = key.length + String(content).length;
      const buffers = (bytes?.length ?? 0) + (compressed?.length ?? 0);
      const size = BYTES_BESIDE + 2 * characters + buffers;
      // In memory of their own: what the transport read may be a part of more.
      const own = bytes === undefined ? answer : { ...answer, bytes: Buffer.from(bytes) };
      kept.set(key, { answer: own, at: now(), owner, refreshFrom: 0 }, { size });
    },
    find(key) {
      const found = kept.get(key);
      const isUsable = longestMs() > 0 && found !== undefined && now() - found.at <= longestMs();
      if (!isUsable) return null;
      const ageSeconds = Math.floor((now() - found.at) / 1_000);
      return { answer: found.answer, ageSeconds };
    },
    findFresh(key, withinMs) {
      const found = kept.get(key);
      if (found === undefined) return null;
      const ageMs = now() - found.at;
      const mayRefresh = now() >= found.refreshFrom;
      return ageMs < withinMs ? { answer: found.answer, ageMs, mayRefresh } : null;
    },
    delayRefresh(key) {
      const found = kept.peek(key);
      if (found !== undefined) found.refreshFrom = now() + REFRESH_DELAY_MS;
    },
    forget: (key) => void kept.delete(key),
    drop() {
      const { size } = kept;
      kept.clear();
      current += 1;
      return size;
    },
    dropOf(hasChanged) {
      for (const [key, { owner }] of kept.entries())
        if (owner !== null && hasChanged(owner)) kept.delete(key);
      current += 1;
    },
  };
}
