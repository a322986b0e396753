import type { FaultName } from "@insurance-gateway/testkit";
import { BROKEN_TRANSFER, type Kind } from "../harness/fault-calls.ts";
import type { HindranceName } from "../harness/fault-hindrances.ts";

/** Everything that can go wrong between the gateway and an insurer. */
export type TroubleName = HindranceName | FaultName;

/** One thing for every kind of call, and another where a kind is named. */
type EachKind<Value = string> = { readonly others: Value } & Readonly<Partial<Record<Kind, Value>>>;

/** The required results of one trouble. */
export interface ExpectedRow {
  /** How many requests the insurer gets for one call. */
  readonly arrivals: EachKind<number>;
  /** The caller's answer: status, code, outcome and retry. */
  readonly answer: EachKind;
  /** The facts of `Proxy-Status` about the insurer; an answer that is not a problem has none. */
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
/** As often as calls are made that change nothing at the insurer. */
const AGAIN_AND_AGAIN: EachKind<number> = { others: 3, submission: 1 };

const incomplete: ExpectedRow = {
  arrivals: { ...AGAIN_AND_AGAIN, document: 1 },
  answer: { others: BROKEN, document: BROKEN_TRANSFER, submission: UNKNOWN },
  proxyStatus: { others: "error=http_response_incomplete" },
};

/** An answer with the status of a success that says nothing usable. */
const unusableSuccess: ExpectedRow = {
  arrivals: ONCE,
  answer: { others: UNUSABLE, submission: UNKNOWN },
  proxyStatus: { others: "received-status=200", submission: "received-status=201" },
};

/** A whole answer with a status that nobody declared, or that does not hold what it says. */
const undeclared = (status: number, arrivals: EachKind<number> = ONCE): ExpectedRow => ({
  arrivals,
  answer: { others: UNUSABLE, submission: UNKNOWN },
  proxyStatus: { others: `received-status=${status}` },
});

/** A refusal of the gateway's credentials, which does not prove that a submission was not carried out. */
const noAccess = (status: number): ExpectedRow => ({
  arrivals: ONCE,
  answer: { others: NO_ACCESS, submission: UNKNOWN },
  proxyStatus: { others: `received-status=${status}` },
});

/** An answer that means the same for every kind: the insurer has not done it. */
const refused = (status: number, answer: string): ExpectedRow => ({
  arrivals: ONCE,
  answer: { others: answer },
  proxyStatus: { others: `received-status=${status}` },
});

/** No connection, so nothing was sent. */
const notConnected = (error: string): ExpectedRow => ({
  arrivals: NEVER,
  answer: { others: UNREACHABLE },
  proxyStatus: { others: `error=${error}` },
});

/** The result of each trouble; the test holds the gateway to it, and writes its results into docs/faults.md and docs/errors.md. */
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

  // Its request was written, and nobody but the insurer can know that it was not read.
  "accept-and-reset": {
    arrivals: NEVER,
    answer: { others: BROKEN, submission: UNKNOWN },
    proxyStatus: { others: "error=connection_terminated" },
  },
  // Another attempt has another connection.
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
    // A list of brands has one field: with another that is new, it is a good answer.
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
