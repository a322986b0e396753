import { randomUUID } from "node:crypto";
import { applicationBody, submitApplication } from "./applications.ts";

/** The address and a token of a gateway. */
export interface CalledGateway {
  readonly address: string;
  readonly token: string;
}

/** A submission that can be sent several times. */
export interface Sendable {
  readonly key: string;
  readonly body: object;
}

/** An answer with its whole body. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
  readonly location: string | null;
  readonly retryAfter: string | null;
  /** Status, code, outcome and retry of a problem; only the status of any other answer. */
  readonly says: string;
}

/** The gateway's answer to a submission that the gateway cannot store. */
export const STORE_UNAVAILABLE = "503 STORE_UNAVAILABLE not_sent safe";
/** The gateway's answer to a submission if the gateway cannot read the stored submission with the same key. */
export const STORE_UNREADABLE = "503 STORE_UNAVAILABLE unknown same_key";
/** The gateway's answer to a submission whose result is unknown. */
export const OUTCOME_UNKNOWN = "504 OUTCOME_UNKNOWN unknown same_key";
/** The gateway's answer to a submission while another call with the same key is in progress. */
export const IN_PROGRESS = "409 SUBMISSION_IN_PROGRESS unknown same_key";

/** Returns a submission of a new customer with a new key. */
export function newSendable(): Sendable {
  return { key: randomUUID(), body: applicationBody() };
}

/** Sends a submission and reads the answer. */
export async function send(gateway: CalledGateway, { body, key }: Sendable): Promise<Reply> {
  return replyOf(await submitApplication(gateway, body, { "idempotency-key": key }));
}

/** Requests provider A's brands, as a call that is not a submission. */
export async function lookUp(gateway: CalledGateway): Promise<Reply> {
  return get(gateway, "/provider-a/auto/brands");
}

/** Returns the state of a submission. */
export async function stateOf(gateway: CalledGateway, id: string): Promise<unknown> {
  const { says, status, text } = await get(gateway, `/submissions/${id}`);
  const { state }: { state?: unknown } = JSON.parse(text);
  return status === 200 ? state : says;
}

async function get({ address, token }: CalledGateway, path: string): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}` };
  return replyOf(await fetch(address + path, { headers }));
}

async function replyOf(response: Response): Promise<Reply> {
  const { headers, status } = response;
  const text = await response.text();
  const { code, outcome, retry }: Readonly<Record<string, unknown>> = JSON.parse(text);
  return {
    status,
    text,
    replayed: headers.get("idempotency-replayed") === "true",
    location: headers.get("location"),
    retryAfter: headers.get("retry-after"),
    says: headers.get("content-type")?.startsWith("application/problem+json")
      ? `${status} ${String(code)} ${String(outcome)} ${String(retry)}`
      : String(status),
  };
}
