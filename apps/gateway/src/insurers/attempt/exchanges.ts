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
import type { AnswerRoom } from "../exchange/answer-budget.ts";
import { type InsurerExchange, prepareExchange } from "../exchange/insurer-exchange.ts";
import { reserveFor } from "../exchange/whole-answer.ts";
import type { InsurerAccess } from "../insurer-access.ts";

/**
 * State of the request on which the insurer acts: null before it is sent; `sent` while it may have left; the error of
 * a request that certainly never left; or its exchange.
 */
export type Acting = null | "sent" | TransportError | InsurerExchange;

/** The exchanges of one attempt. */
export interface Exchanges {
  readonly made: readonly InsurerExchange[];
  /** State of the request on which the insurer acts. */
  acting: Acting;
  /** Returns the remaining time of the attempt, in milliseconds. */
  leftMs(): number;
  readonly send: (request: InsurerRequest) => Promise<InsurerExchange["response"]>;
  readonly wait: AdapterContext["wait"];
}

/** Begins the exchanges of an attempt. Only the checked input and the trace of the caller's request are passed on. */
export function exchangesOf(endpoint: Endpoint, call: AttemptCall, room: AnswerRoom): Exchanges {
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
  // On a used connection, a late list for another query would prove a false outcome.
  const needsNew = call.onNewConnection || call.once !== undefined;
  const connection = needsNew ? "new" : connectionFor(insurer, endpoint, call.input);
  const owner = ownerOf(endpoint, call.account);
  // `acting` is a function and not a getter: V8 puts the getters of an object literal into its old generation, where
  // each would hold its whole request in memory until the next full garbage collection.
  const exchanges: Exchanges = {
    made,
    acting: null,
    leftMs,
    async send(request) {
      const actsByKind = actsAtInsurer && request.method !== "GET";
      const acts = request.acts ?? actsByKind;
      // Appended to the insurer's address, any other path could name another host.
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
      if (milliseconds + LEAST_QUERY_MS > leftMs()) return false;
      await pause(milliseconds, call.callerGone);
      return true;
    },
  };
  return exchanges;
}

/** Minimum time for a request after a pause, in milliseconds. */
const LEAST_QUERY_MS = 100;

/** @throws TransportError as soon as the caller disconnects, like a request */
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

/** Returns the headers of a request: those of the adapter, the credentials, the trace and the gateway. */
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
  // The gateway's own queries prove an outcome, so that no cache may answer them.
  if (once !== undefined) headers["cache-control"] = "no-cache";
  if (opened.insurer.sandbox && scenario !== undefined) headers["x-sandbox-scenario"] = scenario;
  return headers;
}

/**
 * Selects the connection for a request. On a used connection, a late answer to an earlier request looks like the
 * answer to this request. An answer that has personal data or is cached is therefore compared with its request, or
 * uses a new connection. A lookup that is not cached has no such data, and a shifted quote stays within its account.
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
 * them only with the same search, because the items of another search can repeat the same parameters. A submission
 * shares them within its series of identifiers, in which an earlier identifier proves a late answer.
 */
function ownerOf(endpoint: Endpoint, account: string): string {
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
 * Reports whether the answer to a submission names an item that no earlier answer named. The match fields of two
 * changes can be equal; only a created item has a new identifier. This applies to requests that only prepare a
 * submission, too, because they determine on what the insurer acts.
 */
function answerNamesCreation(endpoint: Endpoint): boolean {
  return (
    createsAtInsurer(endpoint) &&
    (endpoint.same ?? []).length > 0 &&
    !answersOf(endpoint).some(([, answer]) => isEmptyAnswer(answer))
  );
}

/** Reports whether the request on which the insurer acts was answered. */
export function isExchange(acting: Acting): acting is InsurerExchange {
  return typeof acting === "object" && acting !== null && "response" in acting;
}

/** Reports whether the insurer may have received the request on which it acts. */
export function mayHaveActed(acting: Acting): boolean {
  return acting === "sent" || isExchange(acting);
}
