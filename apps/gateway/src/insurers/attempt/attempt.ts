import { type AdapterContext, type DecodedBody, limitedSend } from "@insurance-gateway/adapter";
import type { Fault } from "@insurance-gateway/core";
import type { Endpoint } from "@insurance-gateway/core/contract";
import type { AnswerConnections } from "@insurance-gateway/core/runtime";
import {
  createsAtInsurer,
  kindPolicies,
  outcomeUnknown,
  Refusal,
  type RequestStage,
  refusalBeforeActing,
  refusalOfBadAnswer,
  refusalOfFailure,
  refusalOfOwnFault,
  refusalOfUnsendable,
  withCertificateDoubt,
} from "@insurance-gateway/core/runtime";
import { isOwnShortage, nothingSent, TransportError } from "@insurance-gateway/core/transport";
import type { UpstreamAnswer } from "../answers/upstream-answer.ts";
import type { AttemptCall, Call } from "../call.ts";
import type { AnswerMemory } from "../exchange/answer-budget.ts";
import type { InsurerExchange } from "../exchange/insurer-exchange.ts";
import { releaseAfterSending } from "../exchange/whole-answer.ts";
import {
  type ActingRequest,
  createExchanges,
  type Exchanges,
  mayHaveActed,
  wasAnswered,
} from "./exchanges.ts";

/** Arguments of `makeAttempts`. All attempts at one insurer share these arguments. */
export interface AttemptParts {
  /** The insurer's part of the memory for answers that are read as a whole. */
  readonly room: AnswerMemory;
}

/** Creates the step that makes an attempt: the adapter sends its requests, and their answers prove the outcome. */
export function makeAttempts({ room }: AttemptParts): Call<AttemptCall> {
  return async (endpoint, call) => {
    const { insurer } = call.opened;
    const exchanges = createExchanges(endpoint, call, room);
    let isPassedOn = false;
    // True if a later request may use the connection of the last answer again.
    let mayFollow = false;
    const bodies: DecodedBody[] = [];
    const context: AdapterContext = {
      submissionId: call.submissionId,
      settings: insurer.settings,
      login: call.credentials.login,
      now: () => new Date(),
      wait: exchanges.wait,
      decoded: (body) => void bodies.push(body),
    };
    try {
      const send = limitedSend(endpoint, exchanges.send);
      const answer = await insurer.adapter.call(endpoint, call.input, send, context);
      if (answer.type === "unsendable")
        throw refusalOfUnwritable(endpoint, exchanges, answer.faults);
      const last = exchanges.made.at(-1);
      if (last === undefined)
        throw new TypeError("The adapter must send a request to the insurer before it answers");
      // Some caches answer in spite of the request's `no-cache`.
      if (call.once !== undefined && exchanges.made.some(isFromCache))
        throw refusalOfBadAnswer(endpoint, {
          detail: "A cache answered in place of the insurer.",
          received: last.response.status,
          insurerId: null,
        });
      const { acting } = exchanges;
      const stage = stageOf(endpoint, acting, last);
      if (answer.type === "value" && stage === "before")
        throw outcomeUnknown(
          endpoint,
          {},
          new TypeError("The adapter must mark the request on which the insurer acts"),
        );
      const read = await call.opened.readAnswer(endpoint, answer, {
        input: call.input,
        decisive: wasAnswered(acting) ? acting : last,
        last,
        answerConnections: connectionsOf(exchanges.made),
        stage,
        bodies,
      });
      mayFollow = !kindPolicies[endpoint.kind].actsAtInsurer || namesNewItem(endpoint, read);
      isPassedOn = typeof read.content !== "string";
      return withContentFacts(read, exchanges, last);
    } catch (error) {
      throw withCertificateDoubt(refusalOf(endpoint, error, exchanges), error, insurer);
    } finally {
      for (const made of exchanges.made) {
        if (!isPassedOn || !made.isStreamed()) made.discard();
        if (!isPassedOn) made.release();
        // The connection is closed if its answer may belong to an earlier request, because then a later request could
        // receive the answer to this request. An unusable answer may belong to an earlier request. So may a
        // submission's answer without a new identifier, because it looks like a late copy.
        const isClosing = !mayFollow && made === exchanges.made.at(-1);
        if (isClosing || made.response.status >= 300) made.closeConnection();
      }
    }
  };
}

/** Adds to an answer the original bytes of the answer's text, or to a document the release of the document's memory. */
function withContentFacts(
  read: UpstreamAnswer,
  exchanges: Exchanges,
  last: InsurerExchange,
): UpstreamAnswer {
  const { content } = read;
  if (typeof content === "string") {
    const bytes = last.bytesOf(content);
    return bytes === null ? { ...read, contentLength: last.lengthOf(content) } : { ...read, bytes };
  }
  const { whenEnded } = last;
  const held = exchanges.made.filter((one) => !one.isStreamed());
  if (held.length === 0) return { ...read, whenEnded };
  const release = (): void => {
    for (const one of held) one.release();
  };
  return {
    ...read,
    content: releaseAfterSending(content, { leftMs: exchanges.leftMs(), release }),
    whenEnded,
  };
}

/** Reports whether the success of a submission has an identifier that no other submission can have. */
function namesNewItem(endpoint: Endpoint, { insurerId = null }: UpstreamAnswer): boolean {
  return createsAtInsurer(endpoint) && insurerId !== null;
}

/**
 * Reports whether a cache between the gateway and the insurer has answered. `Age: 0` proves nothing: Varnish and Fastly
 * also write it on answers that they have just fetched.
 */
function isFromCache({ response: { headers } }: InsurerExchange): boolean {
  const { age = "0" } = headers;
  return age !== "0" || cacheSigns.some(([name, sign]) => sign.test(headers[name] ?? ""));
}

/** Matches the words with which caches mark their own answers: `HIT`, `TCP_HIT`, `Hit from cloudfront`. */
const CACHE_HIT_WORD = /(?:^|[\s,;:_])(?:hit|stale|updating)(?:$|[\s,;_])/i;

/**
 * Headers of caches: RFC 9211; headers of Squid, CDNs and nginx, which writes no `Age`; and RFC 7234, section 5.5
 * (warnings 110 to 113: a stale answer).
 */
const cacheSigns: readonly (readonly [name: string, sign: RegExp])[] = [
  ["cache-status", /;\s*hit(?!\s*=\s*\?0)(?![\w-])/i],
  ["x-cache", CACHE_HIT_WORD],
  ["x-cache-status", CACHE_HIT_WORD],
  ["x-proxy-cache", CACHE_HIT_WORD],
  ["cf-cache-status", CACHE_HIT_WORD],
  ["warning", /(?:^|,)\s*11[0-3](?:$|\s)/],
];

/** Returns the connections on which the answers of one attempt came. */
function connectionsOf(made: readonly InsurerExchange[]): AnswerConnections {
  return {
    areNew: made.every(({ isNewConnection }) => isNewConnection),
    close() {
      for (const one of made) one.closeConnection();
    },
  };
}

/** Returns the place of an attempt's last request: before, at or after the request on which the insurer acts. */
function stageOf(endpoint: Endpoint, acting: ActingRequest, last: InsurerExchange): RequestStage {
  if (!kindPolicies[endpoint.kind].actsAtInsurer || acting === last) return "acting";
  return mayHaveActed(acting) ? "after" : "before";
}

/**
 * Returns the refusal of a value that the insurer's format cannot express. The outcome is unknown if the request on
 * which the insurer acts may have been sent already.
 */
function refusalOfUnwritable(
  endpoint: Endpoint,
  { acting }: Exchanges,
  faults: readonly Fault[],
): Refusal {
  const isSubmission = kindPolicies[endpoint.kind].actsAtInsurer;
  return isSubmission && mayHaveActed(acting)
    ? refusalOfOwnFault(endpoint, new TypeError("A later request cannot be written"))
    : refusalOfUnsendable(faults);
}

function refusalOf(endpoint: Endpoint, error: unknown, { acting }: Exchanges): Refusal {
  if (error instanceof Refusal) return error;
  const failure = TransportError.isInstance(error) ? error : null;
  if (!kindPolicies[endpoint.kind].actsAtInsurer)
    return failure ? refusalOfFailure(endpoint, failure) : refusalOfOwnFault(endpoint, error);
  if (acting === null) return refusalBeforeActing(failure, error);
  if (!mayHaveActed(acting) && TransportError.isInstance(acting))
    return refusalOfFailure(endpoint, acting);
  if (failure === null) return refusalOfOwnFault(endpoint, error);
  // The insurer may have the submission: the failure of a later request that was never sent does not prove otherwise.
  return nothingSent(failure.phase)
    ? outcomeUnknown(endpoint, { attempt: isOwnShortage(failure) ? "cancelled" : "failed" })
    : refusalOfFailure(endpoint, failure);
}
