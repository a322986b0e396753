import { hash } from "node:crypto";
import type { Fault } from "@insurance-gateway/core";
import type { Adapter, InsurerAnswer } from "@insurance-gateway/core/adapter";
import {
  check,
  type Endpoint,
  isClosed,
  kindPolicies,
  type Schema,
} from "@insurance-gateway/core/contract";
import {
  type ConnectionResponse,
  TransportError,
  type TransportResponse,
} from "@insurance-gateway/core/transport";
import type { AnswersConfiguration, CompareConfiguration } from "../configuration/file.ts";
import type { Refusal } from "../problems/refusal.ts";
import { compileSchema } from "../validation/validate.ts";
import { bindingFault } from "./binding.ts";
import { insurerIdOf } from "./insurer-id.ts";
import {
  type InsurerRefusal,
  refusalOfAnswer,
  refusalOfBadAnswer,
  refusalOfForeignAnswer,
} from "./outcome.ts";

/** What the caller gets: JSON as text, or a document as a stream. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | AsyncIterable<Uint8Array>;
  /** The insurer's own identifier of what a submission created. */
  readonly insurerId?: string | null;
  /** Whether it says that what was submitted does not stand: declined, cancelled or expired. */
  readonly closed?: boolean;
  /** Closes the connection that it came on: it turned out to answer another request. */
  readonly distrust?: () => void;
  /** The code and outcome of a problem that is replayed, for the log. */
  readonly problem?: { readonly code: string; readonly outcome: string };
}

/** Reads an insurer's answer; throws a Refusal unless it is the declared success. */
export type ReadAnswer = (
  endpoint: Endpoint,
  response: ConnectionResponse,
  /** The body that was sent. */
  sent: unknown,
) => Promise<UpstreamAnswer>;

/** Makes the reading of one insurer's answers, which arrive in its adapter's dialect. */
export function createReadAnswer(
  adapter: Adapter,
  limits: AnswersConfiguration,
  compare: CompareConfiguration,
): ReadAnswer {
  const schemas = new Map<Schema<unknown>, Schema<unknown>>();
  const compiled = (schema: Schema<unknown>): Schema<unknown> => {
    const known = schemas.get(schema) ?? compileSchema(schema);
    schemas.set(schema, known);
    return known;
  };

  return async (endpoint, response, sent) => {
    if (endpoint.file !== undefined && response.status === 200)
      return readDocument(endpoint, response, limits.documentBytes);
    const answer = adapter.answer(endpoint, await readText(response, limits.jsonBytes));
    if (answer.status < 200 || answer.status > 299)
      throw refusalOfAnswer(endpoint, refusalIn(answer, response));
    const value = parse(endpoint, answer);
    const insurerId = insurerIdOf(endpoint, value, sent);
    const distrust = (): void => response.closeConnection();
    const { isNewConnection } = response;
    const fault = bindingFault(endpoint, sent, value, { isNewConnection, ...compare });
    if (fault !== null || (answer.status === 202 && isUnnamed(endpoint, insurerId))) {
      distrust();
      throw refusalOfForeignAnswer(endpoint, answer.status, fault ?? []);
    }
    const schema = endpoint.response[answer.status];
    if (schema === undefined || !check(compiled(schema), value).valid)
      throw refusalOfBadAnswer(endpoint, {
        detail: "The insurer's answer breaks the declaration.",
        received: response.status,
        insurerId,
        distrust,
      });
    return {
      insurerId,
      closed: isClosed(endpoint, value),
      distrust,
      status: answer.status,
      headers: {
        ...headersFor(endpoint, response),
        "content-type": "application/json; charset=utf-8",
      },
      // The very text that was checked: writing it anew would cost time and could change it.
      content: answer.text,
    };
  };
}

/** Whether an insurer took a submission without saying what it calls it: nobody could find it again. */
function isUnnamed({ insurerId }: Endpoint, found: string | null): boolean {
  return insurerId !== undefined && found === null;
}

async function readText(response: TransportResponse, maximumBytes: number): Promise<InsurerAnswer> {
  const [mediaType = ""] = (response.headers["content-type"] ?? "").split(";");
  return {
    status: response.status,
    mediaType: mediaType.trim().toLowerCase(),
    text: await response.body.text(maximumBytes),
  };
}

function parse(endpoint: Endpoint, answer: InsurerAnswer): unknown {
  const value = answer.mediaType === "application/json" ? parseOrUndefined(answer.text) : undefined;
  if (value === undefined)
    throw refusalOfBadAnswer(endpoint, {
      detail: "The insurer's answer is not JSON.",
      isForeign: answer.mediaType !== "application/json",
      received: answer.status,
      insurerId: null,
    });
  if (isDeeperThan(MAXIMUM_DEPTH, value))
    throw refusalOfBadAnswer(endpoint, {
      detail: `The insurer's answer is nested deeper than ${MAXIMUM_DEPTH} levels.`,
      received: answer.status,
      insurerId: null,
    });
  return value;
}

/** Levels of objects and lists in an insurer's JSON. Deeper ones would break clients whose readers are recursive. */
const MAXIMUM_DEPTH = 64;

/** Whether a value has more levels than the maximum. Level by level, so that no nesting overflows the stack. */
function isDeeperThan(maximum: number, value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 1; depth <= maximum; depth += 1) {
    const next: unknown[] = [];
    for (const container of level)
      for (const member of Object.values(asObject(container)))
        if (typeof member === "object" && member !== null) next.push(member);
    if (next.length === 0) return false;
    level = next;
  }
  return true;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Passes a document on once its first bytes show that it is one. What fails later breaks the caller's transfer. */
async function readDocument(
  endpoint: Endpoint,
  response: TransportResponse,
  maximumBytes: number,
): Promise<UpstreamAnswer> {
  const size = Number(response.headers["content-length"] ?? 0);
  if (!(size <= maximumBytes)) {
    response.body.discard();
    throw refusalOfBadDocument(
      endpoint,
      `The insurer's document has more than ${maximumBytes} bytes.`,
    );
  }
  const bytes = response.body.stream(maximumBytes)[Symbol.asyncIterator]();
  const head = await takeHead(bytes);
  const isPdf = /^application\/pdf\b/i.test(response.headers["content-type"] ?? "");
  if (!isPdf || head.subarray(0, PDF_SIGNATURE.length).toString("latin1") !== PDF_SIGNATURE) {
    await bytes.return?.();
    throw refusalOfBadDocument(endpoint, "The insurer's answer is not a PDF.", !isPdf);
  }
  return {
    status: 200,
    headers: {
      ...headersFor(endpoint, response),
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="${endpoint.file?.name}"`,
      ...(size > 0 ? { "content-length": String(size) } : {}),
    },
    content: hasFraming(response) ? continued(head, bytes) : endingAsPdf(continued(head, bytes)),
  };
}

function refusalOfBadDocument(endpoint: Endpoint, detail: string, isForeign = false): Refusal {
  return refusalOfBadAnswer(endpoint, { detail, received: 200, insurerId: null, isForeign });
}

const PDF_SIGNATURE = "%PDF-";

/** The end of a PDF and the part of it, in bytes, where readers look for that end (ISO 32000-1, 7.5.5 and annex H.3). */
const PDF_END = "%%EOF";
const PDF_END_WITHIN_BYTES = 1_024;

/** Whether the answer says itself where it ends. Without, a lost connection looks like the end (RFC 9112, section 8). */
function hasFraming({ headers }: TransportResponse): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** Passes a PDF on and fails at its end when the end is missing. */
async function* endingAsPdf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const ending = Buffer.concat([last, chunk.subarray(-PDF_END_WITHIN_BYTES)]);
    last = ending.subarray(-PDF_END_WITHIN_BYTES);
    yield chunk;
  }
  if (!last.includes(PDF_END)) throw new TransportError("body", "failed", "DOCUMENT_CUT_OFF");
}

async function takeHead(bytes: AsyncIterator<Uint8Array>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (head.byteLength < PDF_SIGNATURE.length) {
    const next = await bytes.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function* continued(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** The headers of a success: the kind's caching, and the insurer's ETag where it has the form of one (RFC 9110, section 8.8.3). */
function headersFor(endpoint: Endpoint, response: TransportResponse): Record<string, string> {
  const [, weak = "", etag] =
    /^(W\/)?("[\x21\x23-\x7e]{1,128}")$/.exec(response.headers.etag ?? "") ?? [];
  const cached = endpoint.kind === "lookup" || endpoint.kind === "document";
  return {
    "cache-control": kindPolicies[endpoint.kind].cacheControl,
    // It means the same when it is digested, and an insurer may have made it of a customer's number.
    ...(cached && etag !== undefined
      ? { etag: `${weak}"${hash("sha256", etag, "base64url")}"` }
      : {}),
  };
}

/** Reads the problem of an insurer that speaks the declared contract; anything else has no code. */
function refusalIn(answer: InsurerAnswer, response: TransportResponse): InsurerRefusal {
  const problem =
    answer.mediaType === "application/problem+json" ? parseOrUndefined(answer.text) : null;
  const { code, errors }: { code?: unknown; errors?: unknown } = { ...asObject(problem) };
  return {
    status: answer.status,
    code: typeof code === "string" ? code : null,
    faults: Array.isArray(errors) ? errors.flatMap(faultIn) : [],
    retryAfterSeconds: retryAfterIn(response.headers["retry-after"] ?? ""),
  };
}

/** Reads Retry-After as seconds: a number, or a date (RFC 9110, section 10.2.3). */
function retryAfterIn(text: string): number | null {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /.test(text)
    ? Date.parse(text)
    : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1_000));
}

/** Takes the place of a fault from an insurer, never its words: they may quote the customer. */
function faultIn(value: unknown): readonly Fault[] {
  const { pointer }: { pointer?: unknown } = { ...asObject(value) };
  if (typeof pointer !== "string" || !/^(\/[A-Za-z][A-Za-z_]{0,63}|\/\d{1,3}){1,8}$/.test(pointer))
    return [];
  return [{ pointer, code: "INVALID", message: "was refused by the insurer" }];
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
