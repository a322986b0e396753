import type { Endpoint } from "@insurance-gateway/core/contract";
import { valueAt } from "@insurance-gateway/core/contract";
import { withValueAt } from "@insurance-gateway/core/runtime";
import type { AnswerMapping, CallSource, Polling } from "../answer-mapping.ts";
import type { PublishedEnvelope } from "../envelope.ts";
import { type Mapping, type MappingForm, readMapped, writeMapped } from "../mapping.ts";
import type { DeclaredCall, DialectAnswer } from "./dialect.ts";
import type { InsurerProblem } from "./records.ts";

/** A refusal in the insurer's form: the content of a JSON answer, or of the detail of a SOAP fault. */
export interface RefusedAnswer {
  readonly status: number;
  readonly content: object;
}

/** Writes a problem as the insurer's refusal. */
export type Refuse = (problem: InsurerProblem) => RefusedAnswer;

/** The refusal of a request that the insurer cannot read. */
export const unreadableRequestProblem: InsurerProblem = {
  code: "INVALID_REQUEST",
  detail: "The request cannot be read.",
};

/** The mapping rows of a call in a JSON or SOAP dialect. */
export interface RowCall extends AnswerMapping {
  readonly poll?: Polling;
}

/** Puts a request part's name before the JSON Pointers of mapping rows, so that one mapping reads all parts. */
export function prefixRows(member: string, rows: Mapping = []): Mapping {
  const below = (theirs: string): string => `/${member}${theirs}`;
  return rows.map((row) => {
    if ("ours" in row) return row;
    if ("theirs" in row) return { ...row, theirs: below(row.theirs) };
    if ("group" in row) return { ...row, group: [row.group[0], below(row.group[1])] };
    if ("list" in row) return { ...row, list: [row.list[0], below(row.list[1])] };
    const [ours, theirs, codec] = row;
    return codec === undefined ? [ours, below(theirs)] : [ours, below(theirs), codec];
  });
}

/**
 * Reads a request with the mapping rows with which the adapter writes requests. Returns null if the rows do not fit the
 * request.
 */
export function readCallByRows(
  endpoint: string,
  rows: Mapping,
  theirs: unknown,
  form: MappingForm = {},
): DeclaredCall | null {
  const read = readMapped(rows, theirs, form);
  if (!read.fits) return null;
  const { body, headers, params, query, submissionId }: Partial<CallSource> = Object(read.value);
  return {
    endpoint,
    input: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(headers === undefined ? {} : { headers }),
      body,
    },
    ...(typeof submissionId === "string" ? { reference: submissionId } : {}),
  };
}

/** An answer in the insurer's form. */
export interface RowAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: unknown;
}

/**
 * Writes an answer with the mapping rows with which the adapter reads answers. For a call with `poll`, the function
 * writes the answer of an insurer that has not finished the work. The ticket of this answer contains the result, so
 * that the simulation need not store the result.
 * @returns null for a refusal, or for an answer that the rows cannot express
 */
export function writeAnswerByRows(
  call: RowCall,
  answer: DialectAnswer,
  envelope: PublishedEnvelope | undefined,
): RowAnswer | null {
  const content = contentByRows(call, answer);
  if (content === undefined) return null;
  const marked =
    envelope === undefined ? content : withValueAt(content, envelope.at, envelope.success[0]);
  // If the mapping names a declared status, the insurer's own status is 200.
  const status = call.status === undefined ? answer.status : 200;
  const { poll } = call;
  if (poll === undefined || "file" in answer) return { status, headers: {}, content: marked };
  const ticket = Buffer.from(JSON.stringify(marked)).toString("base64url");
  const { at, is = [], status: accepted = status } = poll.pending;
  const pending = at === undefined ? {} : withValueAt({}, at, is[0]);
  return typeof poll.ticket === "string"
    ? { status: accepted, headers: {}, content: withValueAt(pending, poll.ticket, ticket) }
    : { status: accepted, headers: { [poll.ticket.header]: `/${ticket}` }, content: pending };
}

/** Decodes the result in a ticket. Returns null for a ticket that is not from the simulation. */
export function decodeTicket(ticket: unknown): unknown {
  try {
    return JSON.parse(Buffer.from(String(ticket), "base64url").toString());
  } catch {
    return null;
  }
}

function contentByRows({ document, value = [] }: RowCall, answer: DialectAnswer): unknown {
  if ("problem" in answer) {
    const { at, is = [] } = document?.notReady ?? {};
    const isWaiting = answer.problem.code === "DOCUMENT_NOT_READY" && at !== undefined;
    return isWaiting ? withValueAt({}, at, is[0]) : undefined;
  }
  if ("file" in answer) {
    if (document === undefined) return undefined;
    const { base64, size } = document;
    const content = withValueAt({}, base64, Buffer.from(answer.file).toString("base64"));
    return size === undefined ? content : withValueAt(content, size, answer.file.byteLength);
  }
  const mapped = writeMapped(value, answer.body);
  return mapped.fits ? mapped.value : undefined;
}

/** @throws TypeError for a call with `pages`, whose mapping does not describe a complete answer */
export function refusePages(name: string, { pages }: RowCall, { kind }: Endpoint): void {
  if (pages !== undefined)
    throw new TypeError(`${name} has \`pages\`: write the routes of this ${kind} by hand`);
}

/** Returns the ticket (the insurer's name for the unfinished work) in a query. `rows` are the query's mapping. */
export function readTicket(rows: Mapping, theirs: unknown, form: MappingForm = {}): unknown {
  const read = readMapped(rows, theirs, form);
  return read.fits ? valueAt(read.value, "/ticket") : undefined;
}
