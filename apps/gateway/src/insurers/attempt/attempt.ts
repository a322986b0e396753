import { hash } from "node:crypto";
import {
  type Adapter,
  type AdapterContext,
  type DecodedBody,
  limitedSend,
} from "@insurance-gateway/adapter";
import type { Fault } from "@insurance-gateway/core";
import type { PresentedCredentials } from "@insurance-gateway/core/auth";
import {
  type CheckedInput,
  createsAtInsurer,
  type Endpoint,
  type FailureRow,
  kindPolicies,
} from "@insurance-gateway/core/contract";
import {
  type CancellationSignal,
  type ConnectionTransport,
  createTransport,
  isOwnShortage,
  nothingSent,
  type TlsSettings,
  TransportError,
} from "@insurance-gateway/core/transport";
import type {
  AnswersConfiguration,
  CompareConfiguration,
  TimeoutsConfiguration,
} from "../../configuration/file.ts";
import type { InsurerCredential } from "../../configuration/insurer-credentials.ts";
import type { UnmatchedAnswer } from "../../events.ts";
import type { AnswerConnections } from "../../problems/refusal.ts";
import { Refusal } from "../../problems/refusal.ts";
import { createReadAnswer, type UpstreamAnswer } from "../answers/read-answer.ts";
import type { ReceivedAnswer } from "../drift/compare-answer.ts";
import type { AnswerRoom } from "../exchange/answer-budget.ts";
import type { InsurerExchange } from "../exchange/insurer-exchange.ts";
import { holding } from "../exchange/whole-answer.ts";
import { withCertificateDoubt } from "../outcomes/credentials-outcome.ts";
import {
  refusalBeforeActing,
  refusalOfBadAnswer,
  refusalOfFailure,
  refusalOfOwnFault,
  refusalOfUnsendable,
  type Stage,
} from "../outcomes/outcome.ts";
import { outcomeUnknown } from "../outcomes/outcome-unknown.ts";
import { type Acting, type Exchanges, exchangesOf, isExchange, mayHaveActed } from "./exchanges.ts";

/** Where a call comes from, and who is told how it went. */
export interface CallOrigin {
  readonly requestId: string;
  /** The trace context for the insurer, as headers. */
  readonly traceHeaders: Readonly<Record<string, string>>;
  /** The sandbox scenario that the caller asks for. */
  readonly scenario: string | undefined;
  /** Receives the milliseconds spent waiting for the insurer; several calls add up. For a document, until its first byte. */
  readonly waited: (milliseconds: number) => void;
}

/** What a call of an insurer is made of. */
export interface UpstreamCall extends CallOrigin {
  /** The id of the account whose credentials and settings it uses. */
  readonly account: string;
  readonly input: CheckedInput;
  /** Gives the call up when its caller has gone; null for a call that is made to its end. */
  readonly callerGone: CancellationSignal | null;
  /** Our own name for a submission, which travels with it; of a search by reference, for which one; otherwise null. */
  readonly submissionId: string | null;
  /** A call of the gateway's own: made once, never answered with a stale response, and as a probe also while the breaker is open. */
  readonly once?: { readonly probe: boolean };
  /** When a submission must have begun to be sent, by `performance.now()`: later its lease could end while it is sent. */
  readonly beginBy?: number;
}

/** How an insurer is reached, and how the gateway speaks to it. */
export interface InsurerAccess {
  readonly adapter: Adapter;
  /** What the operator configured for the provider or the account, checked by the provider's `settings`. */
  readonly settings: AdapterContext["settings"];
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly credentials: readonly InsurerCredential[];
  readonly tls: TlsSettings;
  readonly timeouts: TimeoutsConfiguration;
  readonly answers: AnswersConfiguration;
  readonly compare: Pick<CompareConfiguration, "except">;
  /** How many connections there may be at one time. */
  readonly connections: number;
  /** Whether the caller's scenario crosses: to sandboxes only. */
  readonly sandbox: boolean;
}

/** How long an attempt may take, and what it is made with. */
export interface AttemptWay {
  /** For everything, a document's last byte included. */
  readonly withinMs: number;
  readonly credentials: PresentedCredentials;
  readonly settings: AdapterContext["settings"];
  /** Whether it is made on new connections, after an answer that may have been another call's. Default: false. */
  readonly onNewConnection?: boolean;
  /** Called when the attempt waits for room for an answer: that time is not the insurer's. */
  readonly waitsForRoom: () => void;
}

/** Sends calls to one insurer, each once. */
export interface Attempts {
  /** Carries a call out within its time; throws a Refusal that says what is certain about the outcome. */
  make(endpoint: Endpoint, call: UpstreamCall, way: AttemptWay): Promise<UpstreamAnswer>;
}

/** What makes the transport to an insurer another than before. */
export function transportIdentity({ baseUrl, connections, timeouts, tls }: InsurerAccess): string {
  const identity = { baseUrl, connections, connectMs: timeouts.connectMs, tls };
  // It has a private key in it.
  return hash("sha256", JSON.stringify(identity), "base64url");
}

/**
 * Opens the transport to an insurer.
 * @param unaskedBytes - called when the insurer sent bytes that no request asked for
 */
export function openTransport(
  { baseUrl, connections, timeouts, tls }: InsurerAccess,
  unaskedBytes: () => void = () => undefined,
): ConnectionTransport {
  return createTransport({
    connectTimeoutMs: timeouts.connectMs,
    connections,
    origins: [new URL(baseUrl).origin],
    tls,
    unaskedBytes,
  });
}

/**
 * Makes attempts at an insurer, on connections to it.
 * @param room - for the answers that are read whole
 */
export function createAttempts(
  insurer: InsurerAccess,
  transport: ConnectionTransport,
  failures: FailureRows,
  room: AnswerRoom,
): Attempts {
  const { adapter, answers, compare, sandbox } = insurer;
  const readAnswer = createReadAnswer({ limits: answers, compare, sandbox, ...failures });
  return {
    async make(endpoint, call, way) {
      const exchanges = exchangesOf(insurer, transport, endpoint, call, way, room);
      const { settings } = way;
      const { login } = way.credentials;
      let isPassedOn = false;
      const { actsAtInsurer } = kindPolicies[endpoint.kind];
      // Whether another request may follow on the connection of the last answer.
      let mayFollow = false;
      const bodies: DecodedBody[] = [];
      const context: AdapterContext = {
        submissionId: call.submissionId,
        settings,
        login,
        now,
        decoded: (body) => void bodies.push(body),
      };
      try {
        const answer = await adapter.call(
          endpoint,
          call.input,
          limitedSend(endpoint, (request) => exchanges.send(request)),
          context,
        );
        if (answer.type === "unsendable") throw unsendable(endpoint, exchanges, answer.faults);
        const last = exchanges.made.at(-1);
        if (last === undefined) throw new TypeError("The adapter answered without the insurer");
        // Some caches ignore the request's `no-cache`.
        if (call.once !== undefined && exchanges.made.some(isFromCache))
          throw refusalOfBadAnswer(endpoint, {
            detail: "A cache on the way to the insurer answered.",
            received: last.response.status,
            insurerId: null,
          });
        const { acting } = exchanges;
        const stage = stageOf(endpoint, acting, last);
        if (answer.type === "value" && stage === "before")
          throw outcomeUnknown(endpoint, {}, new TypeError("No request was marked as acting"));
        const read = await readAnswer(endpoint, answer, {
          input: call.input,
          decisive: isExchange(acting) ? acting : last,
          answerConnections: connectionsOf(exchanges.made),
          stage,
          bodies,
        });
        mayFollow = !actsAtInsurer || namesWhatIsNew(endpoint, read);
        if (typeof read.content === "string") {
          const bytes = last.bytesOf(read.content);
          return bytes === null
            ? { ...read, contentLength: last.lengthOf(read.content) }
            : { ...read, bytes };
        }
        isPassedOn = true;
        const { whenEnded } = last;
        const held = exchanges.made.filter((made) => !made.isStreamed());
        if (held.length === 0) return { ...read, whenEnded };
        const release = (): void => {
          for (const made of held) made.release();
        };
        const content = holding(read.content, { leftMs: exchanges.leftMs(), release });
        return { ...read, content, whenEnded };
      } catch (error) {
        throw withCertificateDoubt(refusalOf(endpoint, error, exchanges), error, insurer);
      } finally {
        for (const made of exchanges.made) {
          if (!isPassedOn || !made.isStreamed()) made.discard();
          if (!isPassedOn) made.release();
          // An answer that cannot be used may belong to an earlier request; a submission's answer without a new identifier
          // looks like its own late copy, which would be the answer to the next request.
          const isClosing = !mayFollow && made === exchanges.made.at(-1);
          if (isClosing || made.response.status >= 300) made.closeConnection();
        }
      }
    },
  };
}

/** Whether the success of a submission has an identifier that no other one can have. */
function namesWhatIsNew(endpoint: Endpoint, { insurerId = null }: UpstreamAnswer): boolean {
  return createsAtInsurer(endpoint) && insurerId !== null;
}

/** The rows that say what an endpoint's refusals mean, the first match counts; and what is called with its answers. */
export interface FailureRows {
  readonly rowsOf: (endpoint: Endpoint) => readonly FailureRow[];
  /** Called with each refusal that no row matches. */
  readonly unmatched: (endpoint: Endpoint, answer: UnmatchedAnswer) => void;
  /** Called with each successful answer. */
  readonly received: (endpoint: Endpoint, answer: ReceivedAnswer) => void;
}

function now(): Date {
  return new Date();
}

/**
 * Whether a cache on the way says that the answer is its own. `Age: 0` is an answer of this second, which Varnish and Fastly
 * write on those that they have just fetched.
 */
function isFromCache({ response: { headers } }: InsurerExchange): boolean {
  const { age = "0" } = headers;
  return age !== "0" || signsOfCaches.some(([name, sign]) => sign.test(headers[name] ?? ""));
}

/** A word that caches write for an answer of their own: `HIT`, `TCP_HIT`, `Hit from cloudfront`. */
const HIT = /(?:^|[\s,;:_])(?:hit|stale|updating)(?:$|[\s,;_])/i;

/**
 * Headers of caches: RFC 9211; those of Squid, CDNs and nginx, which writes no `Age`; and RFC 7234, section 5.5 (110 to 113:
 * stale, or not asked for).
 */
const signsOfCaches: readonly (readonly [name: string, sign: RegExp])[] = [
  ["cache-status", /;\s*hit(?!\s*=\s*\?0)(?![\w-])/i],
  ["x-cache", HIT],
  ["x-cache-status", HIT],
  ["x-proxy-cache", HIT],
  ["cf-cache-status", HIT],
  ["warning", /(?:^|,)\s*11[0-3](?:$|\s)/],
];

/** An answer can be made of those to several requests. */
function connectionsOf(made: readonly InsurerExchange[]): AnswerConnections {
  return {
    areNew: made.every(({ isNewConnection }) => isNewConnection),
    close() {
      for (const one of made) one.closeConnection();
    },
  };
}

/** How far a submission had come with the answer that the adapter gives: of other kinds, `acting`. */
function stageOf(endpoint: Endpoint, acting: Acting, last: InsurerExchange): Stage {
  if (!kindPolicies[endpoint.kind].actsAtInsurer || acting === last) return "acting";
  return mayHaveActed(acting) ? "after" : "before";
}

/** A value that the insurer's format does not have; of a submission that may have been sent already, nothing is certain. */
function unsendable(endpoint: Endpoint, { acting }: Exchanges, faults: readonly Fault[]): Refusal {
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
  // The insurer may have the submission; that a later request did not leave proves nothing of it.
  return nothingSent(failure.phase)
    ? outcomeUnknown(endpoint, { attempt: isOwnShortage(failure) ? "cancelled" : "failed" })
    : refusalOfFailure(endpoint, failure);
}
