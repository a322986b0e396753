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
 * The request on which the insurer acts: null before it is sent; `sent` while it may have left; the error of one that
 * certainly never left; or its exchange.
 */
export type Acting = null | "sent" | TransportError | InsurerExchange;

/** The exchanges of one attempt. */
export interface Exchanges {
  readonly made: readonly InsurerExchange[];
  /** How far the request on which the insurer acts has come. */
  acting: Acting;
  /** The time that is left for the attempt, in milliseconds. */
  leftMs(): number;
  readonly send: (request: InsurerRequest) => Promise<InsurerExchange["response"]>;
  readonly wait: AdapterContext["wait"];
}

/** Begins the exchanges of an attempt. Nothing of the caller crosses but the checked input and its trace. */
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
  // A list that answers another question, late on a connection that was used before, would prove a false outcome.
  const needsNew = call.onNewConnection || call.once !== undefined;
  const connection = needsNew ? "new" : connectionFor(insurer, endpoint, call.input);
  const owner = ownerOf(endpoint, call.account);
  // `acting` is a function and not a getter: V8 puts the getters of an object literal into its old generation, where each
  // would hold its whole request in memory until the next full collection of garbage.
  const exchanges: Exchanges = {
    made,
    acting: null,
    leftMs,
    async send(request) {
      const actsByKind = actsAtInsurer && request.method !== "GET";
      const acts = request.acts ?? actsByKind;
      // Appended to the insurer's address, anything else could name another host.
      if (!request.path.startsWith("/")) throw new TypeError("A path begins with a slash");
      if (acts && exchanges.acting !== null)
        throw new TypeError("The insurer may act on one request of a call only");
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

/** The least time for a request after a pause; with less time left, none is sent. */
const LEAST_QUERY_MS = 100;

/** @throws TransportError as soon as the caller has gone, like a request */
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

/** The headers of a request: the adapter's, the credentials', and which request of the gateway's own it is for. */
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
  // The gateway's own queries prove something, so a cache on the way to the insurer must not answer them.
  if (once !== undefined) headers["cache-control"] = "no-cache";
  if (opened.insurer.sandbox && scenario !== undefined) headers["x-sandbox-scenario"] = scenario;
  return headers;
}

/**
 * The connection for a request. An answer with a person's data, or that is kept in memory, is compared with its request, or
 * comes on a connection of its own: on a used connection, a late answer to an earlier request looks like the answer to this
 * one. A lookup that is not kept has no such data, and a shifted quote stays within its account.
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
 * The owner of the connections that a request may share with earlier ones: the account. A search shares them with the same
 * search only, because the items of another one can repeat the same parameters. A submission shares them within its series
 * of identifiers, in which an identifier of before proves a late answer.
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
 * Whether the answer to a submission names something that no earlier answer named. The match fields of two changes can be
 * equal; only what is created has a new identifier. This includes requests that only prepare a submission: they decide on
 * what the insurer acts.
 */
function answerNamesCreation(endpoint: Endpoint): boolean {
  return (
    createsAtInsurer(endpoint) &&
    (endpoint.same ?? []).length > 0 &&
    !answersOf(endpoint).some(([, answer]) => isEmptyAnswer(answer))
  );
}

/** Whether the request on which the insurer acts was answered. */
export function isExchange(acting: Acting): acting is InsurerExchange {
  return typeof acting === "object" && acting !== null && "response" in acting;
}

/** Whether the insurer may have the request on which it acts. */
export function mayHaveActed(acting: Acting): boolean {
  return acting === "sent" || isExchange(acting);
}
