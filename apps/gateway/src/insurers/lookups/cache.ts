import { hash } from "node:crypto";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { encodeQuery, fillPath, kindPolicies, Refusal } from "@insurance-gateway/core/runtime";
import type { Observation, ObservedEndpoint } from "../../events.ts";
import { compress } from "../../http/compression.ts";
import type { UpstreamAnswer } from "../answers/upstream-answer.ts";
import type { Step, UpstreamCall } from "../call.ts";
import { accountKey, type LookupPlace, type LookupResponses } from "./lookup-responses.ts";

/** Arguments of `cacheLookups`. */
export interface CacheParts {
  readonly responses: LookupResponses;
  readonly observation: Pick<Observation, "answeredStale">;
  readonly observed: (endpoint: Endpoint) => ObservedEndpoint;
  /** Returns the time for which a lookup's answer is fresh, in milliseconds; 0 if the answer is never fresh. */
  readonly freshMs: (endpoint: Endpoint) => number;
  /** Reports whether the insurer refuses the account's credentials now. */
  readonly isRefused: (account: string) => boolean;
}

/** Share of an answer's fresh time after which the gateway refreshes the answer in the background. */
const REFRESH_FROM_SHARE = 0.8;

/** A running call to the insurer whose answer several callers receive. */
interface SharedCall {
  readonly answer: Promise<UpstreamAnswer>;
  /** The account whose credentials the call uses. */
  readonly account: string;
}

/**
 * Answers lookups from memory while their answers are fresh. All simultaneous callers of one lookup share one call to
 * the insurer. The last successful answer, marked as stale (RFC 5861, section 4), replaces an error if the insurer
 * fails, or if the gateway cannot call the insurer or has no memory for the answer.
 */
export function cacheLookups({
  freshMs,
  isRefused,
  observation,
  observed,
  responses,
}: CacheParts): Step<UpstreamCall> {
  return (next) => {
    const underWay = new Map<string, SharedCall>();

    async function ask(
      endpoint: Endpoint,
      call: UpstreamCall,
      place: LookupPlace,
    ): Promise<UpstreamAnswer> {
      const epoch = responses.epoch();
      let answer: UpstreamAnswer;
      try {
        answer = await next(endpoint, call);
      } catch (error) {
        if (isRefusalOfAccount(error)) responses.refuse(place);
        throw error;
      }
      if (typeof answer.content !== "string") return answer;
      // On a used connection, the answer could belong to another lookup.
      const mayBeKept = answer.answerConnections?.areNew !== false;
      const withinMs = mayBeKept ? freshMs(endpoint) : 0;
      const isOwn = isOwnAnswer(endpoint, answer);
      const named = isOwn ? withVary(answer, "authorization") : answer;
      const validated = endpoint.freshFor === undefined ? named : withEtag(named);
      const made = withinMs > 0 ? await withCompressedContent(validated) : validated;
      if (answer.sharing === "none") {
        responses.forget(place);
        return made;
      }
      const isShared = !isOwn && withinMs > 0;
      const mostMs = responses.keep(place, made, { epoch, freshMs: withinMs, isShared });
      return endpoint.freshFor === undefined
        ? made
        : withFreshness(made, Math.min(withinMs, mostMs));
    }

    /**
     * Makes a call, or joins another caller's running call. If the running call uses another account, a separate call
     * follows after a failure (perhaps because of that account), or after an answer that is for one account only.
     */
    function askOnce(
      endpoint: Endpoint,
      call: UpstreamCall,
      place: LookupPlace,
      isOwn = endpoint.perAccount === true || responses.isOwn(place.key),
    ): Promise<UpstreamAnswer> {
      const { account } = place;
      const question = isOwn ? accountKey(place.key, account) : place.key;
      // After a drop of the cache, callers do not join an earlier call, because it may return the dropped answer.
      const shared = `${responses.epoch()} ${question}`;
      const known = underWay.get(shared);
      if (known !== undefined) {
        if (known.account === account) return known.answer.then(markShared);
        const askItself = (): Promise<UpstreamAnswer> => askOnce(endpoint, call, place, true);
        return known.answer.then(
          (answer) => (isOwnAnswer(endpoint, answer) ? askItself() : markShared(answer)),
          askItself,
        );
      }
      // The request to the insurer continues for the other callers if the caller that began it disconnects.
      const answer = ask(endpoint, { ...call, callerGone: null }, place).finally(() =>
        underWay.delete(shared),
      );
      underWay.set(shared, { answer, account });
      return answer;
    }

    /** Replaces a cached answer in the background; the cached answer is used until then. */
    async function refresh(
      endpoint: Endpoint,
      call: UpstreamCall,
      place: LookupPlace,
    ): Promise<void> {
      try {
        await askOnce(endpoint, call, place);
      } catch {
        responses.delayRefresh(place);
      }
    }

    return async (endpoint, call) => {
      const place = cachePlaceOf(endpoint, call);
      const fresh = place && responses.findFresh(place, freshMs(endpoint));
      if (place !== null && fresh !== null) {
        const { ageMs, answer, mayRefresh, withinMs } = fresh;
        if (mayRefresh && ageMs >= withinMs * REFRESH_FROM_SHARE)
          void refresh(endpoint, call, place);
        call.waited(0);
        return withAge(answer, ageMs, withinMs);
      }
      const begun = performance.now();
      try {
        if (place === null) return await next(endpoint, call);
        return await (freshMs(endpoint) === 0 ? ask : askOnce)(endpoint, call, place);
      } catch (error) {
        if (place === null || !mayBeAnsweredStale(error) || isRefused(place.account)) throw error;
        const found = responses.find(place);
        if (found === null) throw error;
        observation.answeredStale(observed(endpoint));
        return markStale(found.answer, found.ageMs, error.details.reason ?? "insurer_failed");
      } finally {
        call.waited(performance.now() - begun);
      }
    };
  };
}

/**
 * Returns the place of a lookup's answer in the cache. Null for other kinds of calls; for a sandbox scenario, whose
 * answer is not typical; and for the gateway's own calls, which must reach the insurer.
 */
function cachePlaceOf(endpoint: Endpoint, call: UpstreamCall): LookupPlace | null {
  const isCallers = call.scenario === undefined && call.once === undefined;
  if (!kindPolicies[endpoint.kind].servedStale || !isCallers) return null;
  return { key: cacheKeyOf(endpoint, call), account: call.account };
}

/** Reports whether an answer is only for one account, by the declaration or by the insurer's headers. */
function isOwnAnswer({ perAccount }: Endpoint, { sharing }: UpstreamAnswer): boolean {
  return perAccount === true || sharing === "account";
}

/** Returns the cache key of a lookup: its whole request, because lookups have no parameters with data of customers. */
function cacheKeyOf(endpoint: Endpoint, { input }: UpstreamCall): string {
  const path = isEmpty(input.params) ? endpoint.path : fillPath(endpoint.path, input.params);
  const target = isEmpty(input.query) ? path : path + encodeQuery(input.query, endpoint.query);
  // Most lookups have no parameters: then the path is the key.
  if (isEmpty(input.headers) && input.accept === undefined) return target;
  return `${target} ${JSON.stringify([input.headers, input.accept])}`;
}

function isEmpty(values: object): boolean {
  for (const _ in values) return false;
  return true;
}

/** Reports whether an error shows that the insurer refuses the account or the credentials. */
function isRefusalOfAccount(error: unknown): boolean {
  return (
    error instanceof Refusal &&
    (error.code === "PROVIDER_AUTH_FAILED" || error.code === "NOT_ALLOWED")
  );
}

/** Reports whether a stale answer may replace an error; refused credentials must stay visible to the operator. */
function mayBeAnsweredStale(error: unknown): error is Refusal {
  return (
    error instanceof Refusal &&
    error.facts.status >= 500 &&
    error.code !== "INTERNAL_ERROR" &&
    error.code !== "PROVIDER_AUTH_FAILED"
  );
}

/**
 * Maximum time for which callers may keep an answer. It limits how long callers use an answer that the operator has
 * dropped.
 */
const MAX_CALLERS_KEEP_MS = 3_600_000;

/** Adds the age of a cached answer, and the time for which a caller may keep it. */
function withAge(answer: UpstreamAnswer, ageMs: number, withinMs: number): UpstreamAnswer {
  const left = Math.floor((withinMs - ageMs) / 1_000);
  return withHeaders(answer, {
    "cache-control": cacheControlOf(ageMs, withinMs),
    age: String(Math.floor(ageMs / 1_000)),
    "cache-status": `insurance-gateway; hit; ttl=${left}`,
  });
}

/** Adds to the insurer's answer the time for which a caller may keep it. */
function withFreshness(answer: UpstreamAnswer, withinMs: number): UpstreamAnswer {
  return withHeaders(answer, { "cache-control": cacheControlOf(0, withinMs) });
}

/** Returns Cache-Control. Like `Age`, its time counts from the insurer's answer (RFC 9111, section 4.2). */
function cacheControlOf(ageMs: number, withinMs: number): string {
  if (withinMs === 0) return "private, no-cache";
  return `private, max-age=${Math.floor(Math.min(withinMs, ageMs + MAX_CALLERS_KEEP_MS) / 1_000)}`;
}

/** Marks an answer as stale with Age (RFC 9111, section 5.1) and Cache-Status (RFC 9211); a caller may not keep it. */
function markStale(answer: UpstreamAnswer, ageMs: number, reason: string): UpstreamAnswer {
  const age = String(Math.floor(ageMs / 1_000));
  return withHeaders(answer, {
    age,
    "cache-control": "no-store",
    "cache-status": `insurance-gateway; hit; ttl=-${age}; detail=${reason}`,
  });
}

/** Marks the answer of a call that another caller has begun (RFC 9211, section 2.7). */
function markShared(answer: UpstreamAnswer): UpstreamAnswer {
  return withHeaders(answer, { "cache-status": "insurance-gateway; fwd=miss; collapsed" });
}

/** Adds an ETag that is a digest of the content, unless the insurer has sent an ETag. */
function withEtag(answer: UpstreamAnswer): UpstreamAnswer {
  if (answer.headers.etag !== undefined) return answer;
  const etag = `"${hash("sha256", answer.bytes ?? String(answer.content), "base64url")}"`;
  return withHeaders(answer, { etag });
}

/** Adds to `Vary` the name of a request header that selects the answer. */
function withVary(answer: UpstreamAnswer, name: string): UpstreamAnswer {
  const { vary = "" } = answer.headers;
  const names = vary === "" ? [] : vary.split(", ");
  return names.includes(name) ? answer : withHeaders(answer, { vary: [...names, name].join(", ") });
}

/**
 * Counts the bytes of an answer and compresses it, once for all its callers. The compressed content has the same ETag
 * but other bytes, so the ETag becomes weak (RFC 9110, section 8.8.3.3).
 */
async function withCompressedContent(answer: UpstreamAnswer): Promise<UpstreamAnswer> {
  const { bytes, content, headers } = answer;
  const text = String(content);
  const counted =
    bytes === undefined ? { contentLength: answer.contentLength ?? Buffer.byteLength(text) } : {};
  const compressed = await compress(bytes ?? Buffer.from(text));
  if (compressed === null) return { ...answer, ...counted };
  const { etag = "" } = headers;
  const weak = withHeaders(answer, { etag: etag.startsWith("W/") ? etag : `W/${etag}` });
  return withVary({ ...weak, ...counted, compressed }, "accept-encoding");
}

function withHeaders(answer: UpstreamAnswer, added: UpstreamAnswer["headers"]): UpstreamAnswer {
  return { ...answer, headers: { ...answer.headers, ...added } };
}
