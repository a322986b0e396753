import { declared } from "@insurance-gateway/core/adapter";
import { type CheckedInput, type Endpoint, kindPolicies } from "@insurance-gateway/core/contract";
import {
  type CancellationSignal,
  type ConnectionChoice,
  createTransport,
  type ExchangeEnd,
  type TlsSettings,
  TransportError,
} from "@insurance-gateway/core/transport";
import type {
  AnswersConfiguration,
  CompareConfiguration,
  TimeoutsConfiguration,
} from "../configuration/file.ts";
import type { CredentialHeaders } from "../configuration/secrets.ts";
import { Refusal } from "../problems/refusal.ts";
import { createReadAnswer, type UpstreamAnswer } from "./answer.ts";
import { refusalOfFailure, refusalOfOwnFault } from "./outcome.ts";

/** Where a call comes from, and who is told how it went. */
export interface CallOrigin {
  readonly requestId: string;
  /** The trace context for the insurer, as headers. */
  readonly traceHeaders: Readonly<Record<string, string>>;
  /** The sandbox scenario that the caller asks for. */
  readonly scenario: string | undefined;
  /** Is told how long the insurer was waited for, in milliseconds: of a document, until it began. */
  readonly waited: (milliseconds: number) => void;
}

/** What a call of an insurer is made of. */
export interface UpstreamCall extends CallOrigin {
  readonly input: CheckedInput;
  /** Gives the call up when its caller has gone; null for a call that is made to its end. */
  readonly callerGone: CancellationSignal | null;
  /** Our own name for a submission, which travels with it; null for other kinds. */
  readonly submissionId: string | null;
  /** A reconciliation query: made once, and as a probe also while the insurer's breaker is open. */
  readonly reconciles?: { readonly probe: boolean };
  /** When a submission must have begun to be sent, by `performance.now()`: later its lease could end while it is sent. */
  readonly beginBy?: number;
}

/** How an insurer is reached. */
export interface InsurerConnection {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly credentials: CredentialHeaders;
  readonly tls: TlsSettings;
  readonly timeouts: TimeoutsConfiguration;
  readonly answers: AnswersConfiguration;
  readonly compare: CompareConfiguration;
  /** How many connections there may be at one time. */
  readonly connections: number;
  /** Whether the caller's scenario crosses: to sandboxes only. */
  readonly sandbox: boolean;
}

/** How long an attempt may take, and who is told of its end. */
export interface AttemptWay {
  /** For everything, a document's last byte included. */
  readonly withinMs: number;
  /** Is told once when nothing more comes from the insurer. */
  readonly ended: (end: ExchangeEnd) => void;
}

/** Sends calls to one insurer, each once. */
export interface Attempts {
  /** Sends a call and reads its answer within its time; throws a Refusal that says what is certain about the outcome. */
  make(endpoint: Endpoint, call: UpstreamCall, way: AttemptWay): Promise<UpstreamAnswer>;
  /** How many attempts have a connection or wait for one. */
  underWay(): number;
  /** Waits for what is under way, then closes the connections. */
  close(): Promise<void>;
}

/** Connects to an insurer, with connections of its own. Nothing of the caller crosses but the checked input and its trace. */
export function connectInsurer(insurer: InsurerConnection): Attempts {
  const { answers, baseUrl, compare, connections, credentials, sandbox, timeouts, tls } = insurer;
  const transport = createTransport({
    connectTimeoutMs: timeouts.connectMs,
    connections,
    origins: [new URL(baseUrl).origin],
    tls,
  });
  const readAnswer = createReadAnswer(declared, answers, compare);

  return {
    async make(endpoint, call, { ended, withinMs }) {
      const { callerGone, input, submissionId, requestId, scenario, traceHeaders } = call;
      const request = declared.request(endpoint, input, submissionId);
      try {
        const response = await transport.send({
          method: request.method,
          url: baseUrl + request.path,
          headers: {
            ...request.headers,
            ...traceHeaders,
            ...credentials,
            // RFC 9110, section 7.6.3.
            via: "1.1 insurance-gateway",
            "x-request-id": requestId,
            ...(sandbox && scenario !== undefined ? { "x-sandbox-scenario": scenario } : {}),
          },
          ...(request.body === undefined ? {} : { body: request.body }),
          connection: connectionFor(endpoint),
          timeoutMs: withinMs,
          ended,
          ...(callerGone === null ? {} : { signal: callerGone }),
        });
        try {
          return await readAnswer(endpoint, response, input.body);
        } finally {
          // It may have been meant for an earlier request, or for the idle connection. A success of a submission is bound to
          // its request; a refusal cannot be, so that nothing may follow it on its connection.
          if (response.status >= 300) response.closeConnection();
        }
      } catch (error) {
        throw refusalOf(endpoint, error);
      }
    },
    underWay: () => transport.underWay(),
    close: () => transport.close(),
  };
}

/** A submission is sent on no connection that the insurer may be closing; one whose answer names nothing, on its own. */
function connectionFor({ kind, reconcile }: Endpoint): ConnectionChoice {
  if (!kindPolicies[kind].actsAtInsurer) return "any";
  return reconcile === undefined ? "new" : "fresh";
}

function refusalOf(endpoint: Endpoint, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return TransportError.isInstance(error)
    ? refusalOfFailure(endpoint, error)
    : refusalOfOwnFault(endpoint, error);
}
