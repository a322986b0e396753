import type { AdapterContext, InsurerRequest } from "@insurance-gateway/adapter";
import type { Endpoint } from "@insurance-gateway/core/contract";
import {
  answersOf,
  type CheckedInput,
  createsAtInsurer,
  identifierSeries,
  identifiesSearch,
  isEmptyAnswer,
  kindPolicies,
} from "@insurance-gateway/core/runtime";
import {
  type ConnectionChoice,
  nothingSent,
  TransportError,
} from "@insurance-gateway/core/transport";
import { freshMsOf } from "../answers/lookup-sharing.ts";
import type { AttemptCall } from "../call.ts";
import type { AnswerMemory } from "../exchange/answer-budget.ts";
import { type InsurerExchange, prepareExchange } from "../exchange/insurer-exchange.ts";
import { reserveFor } from "../exchange/whole-answer.ts";
import type { InsurerAccess } from "../insurer-access.ts";

/**
 * State of the request on which the insurer acts: null before it is sent; `sent` while it may have been sent; the error
 * of a request that certainly was not sent; or the exchange after the answer.
 */
export type ActingRequest = null | "sent" | TransportError | InsurerExchange;

/** The exchanges with the insurer in one attempt of a call. */
export interface Exchanges {
  readonly made: readonly InsurerExchange[];
  /** State of the request on which the insurer acts. */
  acting: ActingRequest;
  /** Returns the remaining time of the attempt, in milliseconds. */
  leftMs(): number;
  readonly send: (request: InsurerRequest) => Promise<InsurerExchange["response"]>;
  readonly wait: AdapterContext["wait"];
}

/**
 * Creates the exchanges of an attempt. The requests to the insurer contain only the checked input and the trace of the
 * caller's request.
 */
export function createExchanges(
  endpoint: Endpoint,
  call: AttemptCall,
  room: AnswerMemory,
): Exchanges {
  const { insurer, transport } = call.opened;
  const deadline = performance.now() + call.withinMs;
  const leftMs = (): number => deadline - performance.now();
  const { actsAtInsurer } = kindPolicies[endpoint.kind];
  const reserve = reserveFor({
    room,
    actsAtInsurer,
    signal: call.callerGone,
    leftMs,
    waits: call.waitsForRoom,
  });
  const made: InsurerExchange[] = [];
  // On a used connection, a late answer to another query could prove a wrong outcome.
  const needsNew = call.onNewConnection || call.once !== undefined;
  const connection = needsNew ? "new" : connectionFor(insurer, endpoint, call.input);
  const owner = connectionOwnerOf(endpoint, call.account);
  // Methods and not getters: V8 puts the getters of an object literal into its old generation, where each would hold
  // its whole request in memory until the next full garbage collection.
  const exchanges: Exchanges = {
    made,
    acting: null,
    leftMs,
    async send(request) {
      const actsByKind = actsAtInsurer && request.method !== "GET";
      const acts = request.acts ?? actsByKind;
      // A path without a slash would continue the host name in the insurer's address.
      if (!request.path.startsWith("/"))
        throw new TypeError("The path of a request must begin with a slash");
      if (acts && exchanges.acting !== null)
        throw new TypeError("The insurer may act on only one request of a call");
      if (acts) exchanges.acting = "sent";
      try {
        const prepared = prepareExchange(request, {
          url: insurer.baseUrl + request.path,
          headers: headersOf(request, call),
          connection,
          owner,
          timeoutMs: Math.max(1, leftMs()),
          signal: call.callerGone,
          limits: insurer.answers,
          reserve,
        });
        const exchange = prepared.answered(await transport.send(prepared.request));
        made.push(exchange);
        if (acts) exchanges.acting = exchange;
        return exchange.response;
      } catch (error) {
        if (acts && TransportError.isInstance(error) && nothingSent(error.phase))
          exchanges.acting = error;
        throw error;
      }
    },
    async wait(milliseconds) {
      if (milliseconds + MIN_QUERY_MS > leftMs()) return false;
      await pause(milliseconds, call.callerGone);
      return true;
    },
  };
  return exchanges;
}

/** Minimum time that must be left for a query after a pause, in milliseconds. */
const MIN_QUERY_MS = 100;

/** @throws TransportError as soon as the caller disconnects */
function pause(milliseconds: number, callerGone: AttemptCall["callerGone"]): Promise<void> {
  const { promise, reject, resolve } = Promise.withResolvers<void>();
  const leave = (): void => reject(new TransportError("wait", "cancelled"));
  const timer = setTimeout(resolve, milliseconds);
  if (callerGone?.aborted === true) leave();
  callerGone?.addEventListener("abort", leave);
  return promise.finally(() => {
    clearTimeout(timer);
    callerGone?.removeEventListener("abort", leave);
  });
}

/** Returns the headers of a request to the insurer. Later sources win: adapter, credentials, trace, gateway. */
function headersOf(
  request: InsurerRequest,
  { credentials, once, opened, requestId, scenario, traceHeaders }: AttemptCall,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    ...request.headers,
    ...credentials.headers,
    ...traceHeaders,
    // RFC 9110, section 7.6.3.
    via: "1.1 insurance-gateway",
    "x-request-id": requestId,
  };
  // The gateway's own queries prove an outcome, so no cache may answer these queries.
  if (once !== undefined) headers["cache-control"] = "no-cache";
  if (opened.insurer.sandbox && scenario !== undefined) headers["x-sandbox-scenario"] = scenario;
  return headers;
}

/**
 * Returns how a request selects its connection. On a used connection, a late answer to an earlier request looks like
 * the answer to this request. Therefore an answer with personal data, or one that will be cached, is compared with its
 * request or uses a new connection. Other lookups have no such data, and a quote stays within its account.
 */
function connectionFor(
  { answers, compare }: InsurerAccess,
  endpoint: Endpoint,
  input: CheckedInput,
): ConnectionChoice {
  switch (endpoint.kind) {
    case "lookup":
      return freshMsOf(endpoint, answers) > 0 ? "new" : "any";
    case "quote":
      return "any";
    case "search":
      return identifiesSearch(endpoint, input, compare.except) ? "any" : "new";
    case "read":
    case "document":
      return "new";
    case "submission":
      return answerNamesCreation(endpoint) ? "fresh" : "new";
  }
}

/**
 * Returns the owner of the connections that a request may share with earlier requests: the account. A search shares
 * them only with an equal search, because the items of another search can have the same parameters. A submission shares
 * them within its series of identifiers, in which a repeated identifier shows that an answer is late.
 */
function connectionOwnerOf(endpoint: Endpoint, account: string): string {
  const place = `${endpoint.method} ${endpoint.path}`;
  switch (endpoint.kind) {
    case "search":
      return JSON.stringify([account, place]);
    case "submission":
      return JSON.stringify([account, identifierSeries(place, endpoint)]);
    default:
      return JSON.stringify([account]);
  }
}

/**
 * Reports whether the answer to a submission names an item that no earlier answer can name. Two changes can have equal
 * match fields; only a created item has a new identifier. The rule also applies to requests that prepare a submission,
 * because they determine on what the insurer acts.
 */
function answerNamesCreation(endpoint: Endpoint): boolean {
  return (
    createsAtInsurer(endpoint) &&
    (endpoint.same ?? []).length > 0 &&
    !answersOf(endpoint).some(([, answer]) => isEmptyAnswer(answer))
  );
}

/** Reports whether the insurer answered the request on which it acts. */
export function wasAnswered(acting: ActingRequest): acting is InsurerExchange {
  return typeof acting === "object" && acting !== null && "response" in acting;
}

/** Reports whether the insurer may have received the request on which it acts. */
export function mayHaveActed(acting: ActingRequest): boolean {
  return acting === "sent" || wasAnswered(acting);
}
