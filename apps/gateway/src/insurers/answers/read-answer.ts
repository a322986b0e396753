import { Readable } from "node:stream";
import type { AdapterAnswer } from "@insurance-gateway/adapter";
import {
  answerOf,
  check,
  type Endpoint,
  type FailureRow,
  type Schema,
  valueAt,
} from "@insurance-gateway/core/contract";
import {
  type AnswerMedia,
  answerMediaOf,
  bindingFault,
  bodyFormatOf,
  declaredHeaders,
  documentNotReady,
  failureRowOf,
  type InsurerFailure,
  insurerIdOf,
  isClosed,
  isEmptyAnswer,
  isFilePart,
  isHtml,
  kindPolicies,
  lacksIdentifier,
  listDifferences,
  refusalOfAnswer,
  refusalOfBadAnswer,
  refusalOfForeignAnswer,
  refusalOfForeignList,
  retryAfterIn,
  shownIdOf,
} from "@insurance-gateway/core/runtime";
import { compileSchema } from "../../compile-schema.ts";
import type { AnswersConfiguration, CompareConfiguration } from "../../configuration/file.ts";
import type { UnmatchedAnswer } from "../../events.ts";
import type { ReceivedAnswer } from "../drift/compare-answer.ts";
import {
  createSuccessHeaders,
  pagingHeaders,
  requireAccepted,
  type SuccessHeaders,
} from "./answer-headers.ts";
import { readDocument } from "./document.ts";
import { sharingOf } from "./lookup-sharing.ts";
import { isSuccessDespiteContent } from "./surplus-content.ts";
import type { AnswerFacts, UpstreamAnswer } from "./upstream-answer.ts";

/** The adapter's interpretation of an insurer's answer. */
type ReadableAnswer = Exclude<AdapterAnswer, { readonly type: "unsendable" }>;

/** Creates the caller's answer from the insurer's answer; throws a Refusal if it is not a declared success. */
export type ReadAnswer = (
  endpoint: Endpoint,
  answer: ReadableAnswer,
  facts: AnswerFacts,
) => UpstreamAnswer | Promise<UpstreamAnswer>;

/** The `failures` rows for an endpoint (the first match applies), and the functions that receive answers. */
export interface FailureRows {
  readonly rowsOf: (endpoint: Endpoint) => readonly FailureRow[];
  /** Called with each error answer that no `failures` row matches. */
  readonly unmatched: (endpoint: Endpoint, answer: UnmatchedAnswer) => void;
  /** Called with each successful answer of the insurer. */
  readonly received: (endpoint: Endpoint, answer: ReceivedAnswer) => void;
}

/** Arguments of `createReadAnswer`. */
export interface ReadAnswerParts extends FailureRows {
  readonly limits: AnswersConfiguration;
  readonly compare: Pick<CompareConfiguration, "except">;
  /** True for a sandbox, whose answers a scenario can select. */
  readonly sandbox: boolean;
}

/** Creates the function that reads one insurer's answers. */
export function createReadAnswer(parts: ReadAnswerParts): ReadAnswer {
  const compiled = cachingCompiler();
  const successHeaders = createSuccessHeaders(parts.sandbox);
  const { compare, limits, received } = parts;
  return (endpoint, answer, facts) => {
    switch (answer.type) {
      case "document":
        return readDocument(endpoint, answer, facts, { limits, successHeaders }, (isBroken) =>
          received(endpoint, { bodies: facts.bodies, value: null, isBroken }),
        );
      case "notReady":
        throw documentNotReady(facts.decisive.response);
      case "refusal": {
        const rows = parts.rowsOf(endpoint);
        const acts = kindPolicies[endpoint.kind].actsAtInsurer;
        const row = failureRowOf(rows, { ...answer, acts });
        if (row === undefined)
          parts.unmatched(endpoint, unmatchedAnswer(rows, answer, facts.input.body));
        throw refusalOfAnswer(endpoint, {
          status: answer.status,
          row,
          faults: answer.faults ?? [],
          isForeign: isHtml(answer.mediaType),
          retryAfterSeconds: retryAfterIn(facts.decisive.response.headers["retry-after"] ?? ""),
          stage: facts.stage,
        });
      }
      case "unreadable":
        received(endpoint, { bodies: facts.bodies, value: null, isBroken: true });
        throw refusalOfBadAnswer(endpoint, {
          detail: answer.detail,
          isForeign: isHtml(facts.decisive.response.mediaType),
          received: answer.status,
          insurerId: null,
        });
      case "value":
        return readValue(endpoint, answer, facts, {
          compare,
          compiled,
          received,
          rows: parts.rowsOf(endpoint),
          successHeaders,
        });
    }
  };
}

/**
 * Returns the facts of an unmatched answer that the operator may see. The shown code is the value with which a row for
 * the same format would be compared. A code that could be a customer's number is not shown: it may have at most eight
 * digits, at most six in a row, and must not be in the request.
 */
function unmatchedAnswer(
  rows: readonly FailureRow[],
  { content, mediaType, status }: Omit<InsurerFailure, "acts">,
  sent: unknown,
): UnmatchedAnswer {
  const request = JSON.stringify(sent ?? null);
  for (const { at, media } of rows) {
    if (at === undefined || (media !== undefined && media !== mediaType)) continue;
    const value = valueAt(content, at);
    const code = typeof value === "number" ? String(value) : value;
    if (typeof code !== "string" || !SHOWN_CODE_PATTERN.test(code) || request.includes(code))
      continue;
    return { status, mediaType, code, at };
  }
  return { status, mediaType, code: null, at: null };
}

const SHOWN_CODE_PATTERN = /^(?!.*\d{7})(?!(?:\D*\d){9})[\w.:-]{1,40}$/;

type CompileSchema = (schema: Schema<unknown>) => Schema<unknown>;

/** Compiles each schema at its first use, and keeps the compiled schema. */
function cachingCompiler(): CompileSchema {
  const schemas = new Map<Schema<unknown>, Schema<unknown>>();
  return (schema) => {
    const known = schemas.get(schema) ?? compileSchema(schema);
    schemas.set(schema, known);
    return known;
  };
}

type ValueAnswer = Extract<AdapterAnswer, { readonly type: "value" }>;

interface ReadValueParts extends Pick<ReadAnswerParts, "compare" | "received"> {
  readonly compiled: CompileSchema;
  readonly rows: readonly FailureRow[];
  readonly successHeaders: SuccessHeaders;
}

function readValue(
  endpoint: Endpoint,
  answer: ValueAnswer,
  { bodies, answerConnections, decisive, input, last }: AnswerFacts,
  { compare, compiled, received, rows, successHeaders }: ReadValueParts,
): UpstreamAnswer {
  const { headers: added, mediaType = "application/json", status, text, value } = answer;
  // If the adapter queried for the result, the final headers are in the answer to that query.
  const headers = { ...decisive.response.headers, ...last.response.headers, ...added };
  const { accept = null, body: sent } = input;
  if (isDeeperThan(MAX_JSON_LEVELS, value))
    throw refusalOfBadAnswer(endpoint, {
      detail: `The insurer's answer is nested deeper than ${MAX_JSON_LEVELS} levels.`,
      received: status,
      insurerId: null,
    });
  const insurerId = insurerIdOf(endpoint, value);
  const createdAt = endpoint.reconcile && valueAt(value, endpoint.reconcile.createdAt);
  const isNewConnection = answerConnections.areNew;
  const fault = bindingFault(endpoint, sent, value, { isNewConnection, ...compare });
  if (fault !== null) {
    answerConnections.close();
    throw refusalOfForeignAnswer(endpoint, status, fault);
  }
  const foreign = listDifferences(endpoint, input, value, { isNewConnection, ...compare });
  if (foreign !== null) {
    answerConnections.close();
    throw refusalOfForeignList(status, foreign);
  }
  const declared = answerOf(endpoint, status);
  const passed = declared && declaredHeaders(declared, headers);
  const paging = pagingHeaders(endpoint, added ?? {});
  const media = declared && answerMediaOf(declared, mediaType);
  const hasForm =
    media === undefined
      ? declared !== undefined &&
        isEmptyAnswer(declared) &&
        isSuccessDespiteContent({ status, mediaType, content: value }, rows)
      : check(compiled(media.schema), value).valid;
  const isBroken = !hasForm || !passed || paging === null;
  // A file has no fields to compare, and the comparison would hold the file in memory after the release of its
  // reservation.
  const isFile = media !== undefined && bodyFormatOf(media.mediaType) === "bytes";
  const compared = isFile ? null : { status, mediaType, content: value };
  received(endpoint, { bodies, value: compared, isBroken });
  if (isBroken)
    throw refusalOfBadAnswer(endpoint, {
      detail: "The insurer's answer does not match the declaration.",
      isForeign: isHtml(mediaType),
      received: decisive.response.status,
      insurerId: shownIdOf(endpoint, value, sent),
      createdAt,
      answerConnections,
    });
  if (lacksIdentifier(endpoint, status, insurerId, sent)) {
    answerConnections.close();
    throw refusalOfForeignAnswer(endpoint, status, []);
  }
  // The caller receives the result of a submission in any media type (RFC 9110, section 12.4.1).
  if (media !== undefined && !kindPolicies[endpoint.kind].actsAtInsurer)
    requireAccepted(accept, media.mediaType);
  return {
    insurerId,
    createdAt,
    closed: isClosed(endpoint, value),
    answerConnections,
    ...(endpoint.kind === "lookup"
      ? { sharing: sharingOf(endpoint, decisive.response.headers) }
      : {}),
    status,
    headers: {
      ...passed,
      ...successHeaders(endpoint, headers.etag),
      ...paging,
      ...(media === undefined ? {} : { "content-type": contentTypeOf(media) }),
    },
    content: media === undefined ? "" : callersContentOf(media, value, text),
  };
}

function contentTypeOf({ mediaType }: AnswerMedia): string {
  return bodyFormatOf(mediaType) === "bytes" ? mediaType : `${mediaType}; charset=utf-8`;
}

function callersContentOf(
  { mediaType }: AnswerMedia,
  value: unknown,
  text: string | undefined,
): UpstreamAnswer["content"] {
  // Returns the insurer's own JSON text if there is one, because creating a new text would cost time and could change
  // the value.
  if (bodyFormatOf(mediaType) !== "bytes") return text ?? JSON.stringify(value);
  // The schema has already checked that the value is a file.
  const bytes = isFilePart(value) && value.content instanceof Uint8Array ? [value.content] : [];
  return Readable.from(bytes);
}

/** Maximum nested levels of an insurer's JSON: deeper JSON would break clients that read JSON recursively. */
const MAX_JSON_LEVELS = 64;

/** Reports whether a value has more nested levels than the maximum. The maximum also limits the recursion. */
function isDeeperThan(maximum: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return false;
  if (maximum === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(maximum - 1, item)) return true;
    return false;
  }
  // A parsed JSON object or list can be read as a record of its fields.
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in fields) {
    const field = fields[name];
    // Most fields are texts and numbers; without a call for each of them, the check takes half the time.
    if (typeof field === "object" && isDeeperThan(maximum - 1, field)) return true;
  }
  return false;
}
