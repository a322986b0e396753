import { declared } from "@insurance-gateway/core/adapter";
import { type CheckedInput, type Endpoint, kindPolicies } from "@insurance-gateway/core/contract";
import {
  type CancellationSignal,
  createTransport,
  TransportError,
} from "@insurance-gateway/core/transport";
import type { TimeoutsConfiguration } from "../configuration/file.ts";
import type { CredentialHeaders } from "../configuration/secrets.ts";
import { Refusal } from "../problems/refusal.ts";
import { createReadAnswer, type UpstreamAnswer } from "./answer.ts";
import { refusalOfFailure, refusalOfOwnFault } from "./outcome.ts";

/** What a call of an insurer is made of. */
export interface UpstreamCall {
  readonly input: CheckedInput;
  readonly requestId: string;
  /** Gives the call up when its caller has gone; null for a call that is made to its end. */
  readonly callerGone: CancellationSignal | null;
  /** Our own name for a submission, which travels with it; null for other kinds. */
  readonly reference: string | null;
  /** The sandbox scenario that the caller asks for. */
  readonly scenario: string | undefined;
}

/** One insurer behind the gateway. */
export interface Upstream {
  /** Sends a call and reads its answer; throws a Refusal that says what is certain about the outcome. */
  call(endpoint: Endpoint, call: UpstreamCall): Promise<UpstreamAnswer>;
  /** Waits for what is under way, then closes the connections. */
  close(): Promise<void>;
}

/** How an insurer is reached. */
export interface UpstreamOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly credentials: CredentialHeaders;
  readonly timeouts: TimeoutsConfiguration;
  /** Whether the caller's scenario crosses: to sandboxes only. */
  readonly sandbox: boolean;
}

/** Connects to an insurer, with connections of its own. Nothing of the caller crosses but the checked input. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { baseUrl, credentials, timeouts, sandbox } = options;
  const transport = createTransport({ connectTimeoutMs: timeouts.connectMs });
  const readAnswer = createReadAnswer(declared);

  return {
    async call(endpoint, { input, reference, requestId, callerGone, scenario }) {
      const request = declared.request(endpoint, input, reference);
      const { actsAtInsurer } = kindPolicies[endpoint.kind];
      try {
        const response = await transport.send({
          method: request.method,
          url: baseUrl + request.path,
          headers: {
            ...request.headers,
            ...credentials,
            "x-request-id": requestId,
            ...(sandbox && scenario !== undefined ? { "x-sandbox-scenario": scenario } : {}),
          },
          ...(request.body === undefined ? {} : { body: request.body }),
          timeoutMs: actsAtInsurer ? timeouts.submissionMs : timeouts.totalMs,
          ...(callerGone === null ? {} : { signal: callerGone }),
        });
        return await readAnswer(endpoint, response, input.body);
      } catch (error) {
        throw refusalOf(endpoint, error);
      }
    },
    close: () => transport.close(),
  };
}

function refusalOf(endpoint: Endpoint, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return TransportError.isInstance(error)
    ? refusalOfFailure(endpoint, error)
    : refusalOfOwnFault(endpoint, error);
}
