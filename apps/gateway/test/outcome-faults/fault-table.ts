import type { FaultName } from "@insurance-gateway/testkit";
import { BROKEN_TRANSFER, type Kind } from "../harness/fault-calls.ts";
import type { HindranceName } from "../harness/fault-hindrances.ts";

/** Names of the faults between the gateway and an insurer. */
export type TroubleName = HindranceName | FaultName;

/** A value for all kinds of call, with exceptions for some kinds. */
type EachKind<Value = string> = { readonly others: Value } & Readonly<Partial<Record<Kind, Value>>>;

/** The required results of one fault. */
export interface ExpectedRow {
  /** Number of requests that the insurer receives for one call. */
  readonly arrivals: EachKind<number>;
  /** The answer to the caller: status, code, outcome and retry. */
  readonly answer: EachKind;
  /** The facts about the insurer in `Proxy-Status`. An answer that is not a problem has no such facts. */
  readonly proxyStatus: EachKind;
}

const UNREACHABLE = "502 PROVIDER_UNREACHABLE not_sent safe";
const NOT_CONNECTED_IN_TIME = "504 PROVIDER_TIMEOUT not_sent safe";
const BROKEN = "502 PROVIDER_UNREACHABLE unknown safe";
const LATE = "504 PROVIDER_TIMEOUT unknown safe";
const UNUSABLE = "502 PROVIDER_BAD_RESPONSE unknown safe";
const EXECUTED = "502 PROVIDER_BAD_RESPONSE executed never";
const UNKNOWN = "504 OUTCOME_UNKNOWN unknown same_key";
const NO_ACCESS = "502 PROVIDER_AUTH_FAILED rejected never";
const REJECTED = "422 PROVIDER_REJECTED rejected never";
const DUPLICATE = "409 DUPLICATE_APPLICATION rejected never";
const BROKER_LIMIT = "422 BROKER_LIMIT_EXCEEDED rejected never";
const NOT_NOW = "503 PROVIDER_UNAVAILABLE rejected safe";

const NEVER: EachKind<number> = { others: 0 };
const ONCE: EachKind<number> = { others: 1 };
/** Number of requests of a call that is retried. A submission is never retried. */
const AGAIN_AND_AGAIN: EachKind<number> = { others: 3, submission: 1 };

const incomplete: ExpectedRow = {
  arrivals: { ...AGAIN_AND_AGAIN, document: 1 },
  answer: { others: BROKEN, document: BROKEN_TRANSFER, submission: UNKNOWN },
  proxyStatus: { others: "error=http_response_incomplete" },
};

/** An answer with a success status and without usable content. */
const unusableSuccess: ExpectedRow = {
  arrivals: ONCE,
  answer: { others: UNUSABLE, submission: UNKNOWN },
  proxyStatus: { others: "received-status=200", submission: "received-status=201" },
};

/** A complete answer with an undeclared status, or with content that does not fit the status. */
const undeclared = (status: number, arrivals: EachKind<number> = ONCE): ExpectedRow => ({
  arrivals,
  answer: { others: UNUSABLE, submission: UNKNOWN },
  proxyStatus: { others: `received-status=${status}` },
});

/** A refusal of the gateway's credentials. The refusal does not prove that a submission was not executed. */
const noAccess = (status: number): ExpectedRow => ({
  arrivals: ONCE,
  answer: { others: NO_ACCESS, submission: UNKNOWN },
  proxyStatus: { others: `received-status=${status}` },
});

/** An answer with one meaning for every kind of call: the insurer has not executed the call. */
const refused = (status: number, answer: string): ExpectedRow => ({
  arrivals: ONCE,
  answer: { others: answer },
  proxyStatus: { others: `received-status=${status}` },
});

/** A connection that was not established, so nothing was sent. */
const notConnected = (error: string): ExpectedRow => ({
  arrivals: NEVER,
  answer: { others: UNREACHABLE },
  proxyStatus: { others: `error=${error}` },
});

/** The required result of each fault. Tests check the results, and write them to docs/faults.md and docs/errors.md. */
export const faultTable: Readonly<Record<TroubleName, ExpectedRow>> = {
  "no-address": notConnected("dns_error"),
  "never-accepted": {
    arrivals: NEVER,
    answer: { others: NOT_CONNECTED_IN_TIME, submission: UNREACHABLE },
    proxyStatus: { others: "error=connection_timeout" },
  },
  "no-tls": notConnected("tls_protocol_error"),
  "tls-refused": notConnected("tls_alert_received"),
  refuse: notConnected("connection_refused"),

  // The gateway has written the request, and only the insurer knows that nobody has read the request.
  "accept-and-reset": {
    arrivals: NEVER,
    answer: { others: BROKEN, submission: UNKNOWN },
    proxyStatus: { others: "error=connection_terminated" },
  },
  // A retry uses another connection.
  "keep-alive-closed": {
    arrivals: { others: 1, submission: 0 },
    answer: { others: "200", submission: UNKNOWN },
    proxyStatus: { others: "error=connection_terminated" },
  },

  silence: {
    arrivals: ONCE,
    answer: { others: LATE, submission: UNKNOWN },
    proxyStatus: { others: "error=http_response_timeout" },
  },
  "reset-after-request": {
    arrivals: AGAIN_AND_AGAIN,
    answer: { others: BROKEN, submission: UNKNOWN },
    proxyStatus: { others: "error=connection_terminated" },
  },
  "execute-then-reset": {
    arrivals: AGAIN_AND_AGAIN,
    answer: { others: BROKEN, submission: UNKNOWN },
    proxyStatus: { others: "error=connection_terminated" },
  },
  "reset-within-headers": {
    arrivals: AGAIN_AND_AGAIN,
    answer: { others: BROKEN, submission: UNKNOWN },
    proxyStatus: { others: "error=connection_terminated" },
  },
  "half-body": incomplete,
  "wrong-length": incomplete,
  "chunked-cut": incomplete,
  "slow-drip": {
    arrivals: ONCE,
    answer: { others: LATE, submission: UNKNOWN },
    proxyStatus: { others: "error=http_response_timeout" },
  },
  "late-answer": {
    arrivals: ONCE,
    answer: { others: LATE, submission: UNKNOWN },
    proxyStatus: { others: "error=http_response_timeout" },
  },

  "garbage-success": unusableSuccess,
  "undeclared-success": unusableSuccess,
  "named-but-undeclared": {
    arrivals: { others: 1, document: 1 },
    // A list of brands with an additional field is still a valid answer.
    answer: { others: UNUSABLE, lookup: "200", submission: EXECUTED },
    proxyStatus: { others: "received-status=200", submission: "received-status=201" },
  },
  "html-success": undeclared(200, AGAIN_AND_AGAIN),
  "not-a-pdf": undeclared(200),

  redirect: undeclared(302),
  unauthorized: noAccess(401),
  forbidden: noAccess(403),
  "not-found": undeclared(404),
  conflict: undeclared(409),
  unprocessable: undeclared(422),
  rejected: refused(422, REJECTED),
  duplicate: refused(409, DUPLICATE),
  "broker-limit": refused(422, BROKER_LIMIT),
  busy: refused(429, NOT_NOW),
  "bare-429": undeclared(429),
  "server-error": undeclared(500, AGAIN_AND_AGAIN),
  "html-error": undeclared(502, AGAIN_AND_AGAIN),
  "execute-then-504": undeclared(504, AGAIN_AND_AGAIN),
  unavailable: refused(503, NOT_NOW),
  "bare-503": undeclared(503),
};
