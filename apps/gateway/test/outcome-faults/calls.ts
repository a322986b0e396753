import { setTimeout as wait } from "node:timers/promises";
import type { GatewayInProcess } from "../harness/gateway-in-process.ts";
import type { Kind } from "./book.ts";
import type { Repeat } from "./fault.ts";
import type { RawInsurer } from "./insurer.ts";
import type { ReadCase, SubmissionCase, Told, ToldState } from "./oracle.ts";

/** Maximum duration of an answer, in milliseconds; longer than every deadline of the gateway. */
const MAX_ANSWER_MS = 20_000;
/** Longest `Retry-After` for which a caller waits, in seconds. */
const MAX_RETRY_AFTER_SECONDS = 3;

/** The number of a fault, and its insurer. */
export interface Place {
  readonly number: number;
  readonly insurer: RawInsurer;
}

/** A caller with one application. */
export interface Caller extends SubmissionCase {
  readonly token: string;
  readonly told: Told[];
  readonly states: ToldState[];
  /** Addresses of the submissions' states, by key. */
  readonly addresses: Map<string, string>;
}

/** Returns the path segment of a fault's insurer. */
export function segmentOf(kind: Kind, number: number): string {
  return `${kind}-${number}`;
}

/** Sends the caller's application, and records the answer. */
export async function submit(
  gateway: GatewayInProcess,
  { insurer, number }: Place,
  caller: Caller,
  key: string,
  step: string,
  { repeat = "as before", turn = insurer.nextTurn() }: { repeat?: Repeat; turn?: number } = {},
): Promise<void> {
  const text = JSON.stringify(caller.sent);
  const told = await ask(
    `${gateway.address}/${segmentOf("submission", number)}/applications`,
    {
      method: "POST",
      headers: {
        authorization: `Bearer ${repeat === "with an invalid token" ? "x.y.z" : caller.token}`,
        accept: repeat === "accepting only XML" ? "application/xml" : "*/*",
        "content-type": repeat === "as text" ? "text/plain" : "application/json",
        "idempotency-key": key,
      },
      body: repeat === "as broken JSON" ? text.slice(0, -2) : text,
    },
    { step, turn, key },
  );
  caller.told.push(told);
  const { reconciliation }: { reconciliation?: { href?: string } } = { ...Object(told.body) };
  if (reconciliation?.href !== undefined) caller.addresses.set(key, reconciliation.href);
}

const paths: Readonly<Record<Exclude<Kind, "submission">, string>> = {
  lookup: "/auto/brands",
  document: "/application/ipid?applicationId=C-0001",
  search: "/applications/search?start=1&limit=20&clientAfm=",
};

/** Makes a call that changes nothing. */
export async function read(
  gateway: GatewayInProcess,
  { number }: Place,
  kind: Exclude<Kind, "submission">,
  turn: number,
): Promise<ReadCase> {
  const clientAfm = String(100_000_000 + number * 100);
  const path = paths[kind] + (kind === "search" ? clientAfm : "");
  const told = await ask(
    `${gateway.address}/${segmentOf(kind, number)}${path}`,
    { headers: { authorization: `Bearer ${gateway.token}` } },
    { step: `a ${kind}`, turn, key: null },
  );
  return { kind, clientAfm, told };
}

/**
 * Makes a request, and reads the whole answer. If the gateway sent nothing to the insurer, waits for a short
 * `Retry-After`.
 */
async function ask(
  url: string,
  request: RequestInit,
  about: Pick<Told, "key" | "step" | "turn">,
): Promise<Told> {
  const nothing = { ...about, status: null, body: null, code: null, outcome: null, retry: null };
  const signal = AbortSignal.timeout(MAX_ANSWER_MS);
  try {
    const response = await fetch(url, { ...request, signal });
    const { headers, status } = response;
    const isJson = headers.get("content-type")?.includes("json") === true;
    const body: unknown = await (isJson ? response.json() : response.text()).catch(() => null);
    if (signal.aborted) return nothing;
    if (response.ok) return { ...nothing, status, body };
    const { code, outcome, retry }: { code?: unknown; outcome?: unknown; retry?: unknown } = {
      ...Object(body),
    };
    const seconds = Number(headers.get("retry-after") ?? 0);
    if (outcome === "not_sent" && seconds <= MAX_RETRY_AFTER_SECONDS) await wait(seconds * 1_000);
    return { ...nothing, status, body, ...texts({ code, outcome, retry }) };
  } catch {
    return nothing;
  }
}

function texts(values: {
  readonly code: unknown;
  readonly outcome: unknown;
  readonly retry: unknown;
}): Pick<Told, "code" | "outcome" | "retry"> {
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  return { code: text(values.code), outcome: text(values.outcome), retry: text(values.retry) };
}
