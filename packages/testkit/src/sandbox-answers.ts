import type {
  AnySandbox,
  Clock,
  DialectAnswer,
  SandboxRecord,
} from "@insurance-gateway/adapter/sandbox";
import { type Endpoint, valueAt } from "@insurance-gateway/core/contract";
import { type CheckedInput, pagingOf, requestedPage } from "@insurance-gateway/core/runtime";

export const now = (): Date => new Date("2026-11-21T08:00:00Z");

/** A generated answer. The answer of a search has the items of all pages. */
export interface GeneratedAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Returns the initial records of a simulated insurer, by identifier. */
export function recordsOf({ seed }: AnySandbox): Map<string, SandboxRecord> {
  return new Map(seed.map((record) => [record.id, record]));
}

/** Returns the requested page of a search. */
export function pageOf(
  endpoint: Endpoint,
  input: CheckedInput,
  { body, status }: GeneratedAnswer,
): DialectAnswer {
  if (endpoint.kind !== "search") return { status, body };
  const { position, size } = requestedPage(pagingOf(endpoint), input);
  const items: unknown = valueAt(body, "/items");
  const all = Array.isArray(items) ? items : [];
  const start = Number(position);
  const page = all.slice(start - 1, start - 1 + size);
  return { status, body: { items: page, start, limit: size, total: all.length } };
}

/** A minimal PDF, in place of a document that the sandbox describes as data. */
const MINIMAL_PDF = Buffer.concat([
  Buffer.from("%PDF-1.7\n"),
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  Buffer.from("\n%%EOF\n"),
]);

/** The input of a call of a sandbox handler, besides the request. */
interface HandlerInput {
  readonly records: Map<string, SandboxRecord>;
  readonly clock: Clock;
  readonly scenario: string | null;
  readonly reference: string | undefined;
}

/** Returns the answer of the sandbox's own handler, and stores the records of the answer. */
export function answerOfHandler(
  sandbox: AnySandbox,
  name: string,
  input: CheckedInput,
  {
    clock = now,
    records = recordsOf(sandbox),
    reference,
    scenario = null,
  }: Partial<HandlerInput> = {},
): DialectAnswer {
  const request = { input, scenario, ...(reference === undefined ? {} : { reference }) };
  const answer = sandbox.handlers[name]?.(request, [...records.values()], clock);
  if (answer === undefined) throw new TypeError(`The sandbox has no handler for ${name}`);
  for (const record of answer.keep ?? []) records.set(record.id, record);
  const { headers = {}, status } = answer;
  if ("problem" in answer) return { status, headers, problem: answer.problem };
  if ("document" in answer) return { status, headers, file: MINIMAL_PDF };
  if ("file" in answer) {
    const { content, mediaType } = answer.file;
    return { status, headers, file: content, mediaType };
  }
  if ("body" in answer) return { status, headers, body: answer.body };
  // A missing or broken answer is a scenario that no dialect can express.
  const problem = { code: "PROVIDER_UNAVAILABLE", detail: "The insurer does not answer." };
  return { status: 503, headers, problem };
}
