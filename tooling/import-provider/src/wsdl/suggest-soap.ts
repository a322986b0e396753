import type { XmlField } from "@insurance-gateway/core/adapter/soap";
import type { FailureRow } from "@insurance-gateway/core/contract";
import { below } from "../document/references.ts";
import { ImportFault } from "../report.ts";
import type { ArrangedOperation, SoapDocument } from "./arrange.ts";

/** What an operation of a WSDL sounds like, and why. */
export interface SoapSuggestion {
  readonly options: Readonly<Record<string, unknown>>;
  readonly reason: string;
}

/** The beginnings of names of operations that change nothing. */
const READING =
  /^(get|list|find|search|read|fetch|retrieve|load|query|is|has|check|validate|print|view|download)(?=[A-Z_\d]|$)/i;
const CALCULATING = /quot|tariff|premium|calculat|pric(e|ing)|estimat/i;

/** Suggests what an operation is; undefined where nothing says that it only reads. */
export function suggestedSoapOperation(
  name: string,
  { call, types }: ArrangedOperation,
): SoapSuggestion | undefined {
  const reading = READING.exec(name)?.[0];
  if (reading !== undefined) {
    const answer = call.answer?.type === undefined ? [] : (types[call.answer.type]?.fields ?? []);
    const file = answer.find(({ as, repeats }) => as === "base64" && repeats !== true);
    if (file !== undefined)
      return {
        options: {
          kind: "document",
          document: { base64: below("", file.name), mediaType: "application/pdf" },
        },
        reason: `A document: its answer has base64 at ${below("", file.name)}. Check that it is a PDF.`,
      };
    if (call.request?.type === undefined)
      return {
        options: { kind: "lookup" },
        reason: `A lookup: "${reading}" sounds like a read, and it is the same for everybody, because its request is empty.`,
      };
    return {
      options: { kind: "read" },
      reason: `A read: "${reading}" sounds as if nothing changes. If something does, make it a submission.`,
    };
  }
  const calculating = CALCULATING.exec(name)?.[0];
  return calculating === undefined
    ? undefined
    : {
        options: { kind: "quote" },
        reason: `A quote: "${calculating}" sounds like a calculation. If the insurer stores it, make it a submission.`,
      };
}

/** Rows for the faults that the document declares, by the codes in their details; none where they have none. */
export function suggestedFaults({ operations }: SoapDocument): {
  readonly rows: readonly FailureRow[];
  readonly reason?: string;
} {
  const places = new Set<string>();
  for (const { faults } of operations.values())
    for (const { element, type } of faults) {
      const { content } = type;
      const code = content instanceof ImportFault ? undefined : content.type.fields.find(isCode);
      if (code !== undefined) places.add(`/fault/detail/${element}/${code.xmlName ?? code.name}`);
    }
  if (places.size === 0) return { rows: [] };
  const rows = [...places].toSorted().map(
    (at): FailureRow => ({
      status: 500,
      media: "text/xml",
      at,
      code: "PROVIDER_REJECTED",
      outcome: "rejected",
      why: "The document declares this fault with a code of its own.",
    }),
  );
  return {
    rows,
    reason: `Faults have a code at ${[...places].toSorted().join(", ")}. Check that the insurer has done nothing when it answers so; then a refusal is final. Without these rows every fault of a submission is of an unknown outcome.`,
  };
}

function isCode({ is, name, type }: XmlField): boolean {
  return is === undefined && type === undefined && /^(error|fault|err)?_?code$/i.test(name);
}
