import type { XmlField } from "@insurance-gateway/adapter/soap";
import { appendToPointer } from "../document/references.ts";
import { ImportFault } from "../report.ts";
import {
  actingWordIn,
  CALCULATION_WORDS,
  DOCUMENT_WORDS,
  firstWordOf,
  READING_WORDS,
} from "../suggest/verbs.ts";
import type { ConfiguredOperation, SoapDocument } from "./arrange.ts";
import type { TranslatedType } from "./translated-types.ts";

/** The suggestion for an operation of a WSDL, with its reasons. */
export interface SoapSuggestion {
  readonly options: Readonly<Record<string, unknown>>;
  readonly reason: string;
}

/**
 * Suggests the kind of an operation from the first word of its name. The gateway would retry a submission that has the
 * kind read by mistake, so every doubtful operation is a submission, even if only a later word means a change.
 * @param isReference - true if the operation's name resembles reference data
 */
export function suggestedSoapOperation(
  name: string,
  { call, types }: ConfiguredOperation,
  isReference: boolean,
): SoapSuggestion {
  const acting = actingWordIn(name);
  if (acting !== undefined)
    return {
      options: { kind: "submission" },
      reason: `A submission: "${acting}" sounds as if something changes. Declare how the gateway finds out an unknown outcome (reconcile).`,
    };
  const reading = firstWordOf(name, READING_WORDS);
  const base64 = fileIn(types, call.answer?.type, 0);
  if (firstWordOf(name, DOCUMENT_WORDS) !== undefined && base64 !== undefined)
    return {
      options: { kind: "document", document: { base64, mediaType: "application/pdf" } },
      reason: `A document: the operation's answer has base64 data at ${base64}. Check that the data is a PDF.`,
    };
  if (reading !== undefined && call.request?.type === undefined && isReference)
    return {
      options: { kind: "lookup" },
      reason: `A lookup: it sounds like reference data, which is the same for everybody, and its request is empty.`,
    };
  if (reading !== undefined)
    return {
      options: { kind: "read" },
      reason: `A read: "${reading}" sounds as if the operation changes nothing. If it changes something, make it a submission. If it returns a list in pages, make it a search.`,
    };
  const calculating = firstWordOf(name, CALCULATION_WORDS);
  if (calculating !== undefined)
    return {
      options: { kind: "quote" },
      reason: `A quote: "${calculating}" sounds like a calculation. If the insurer stores it, make it a submission.`,
    };
  return {
    options: { kind: "submission" },
    reason:
      "A submission: nothing says that it only reads. Declare how the gateway finds out an unknown outcome (reconcile).",
  };
}

/** Returns the place of a base64 text in an answer: at most three levels deep, and not inside a list. */
function fileIn(
  types: readonly TranslatedType[],
  name: string | undefined,
  depth: number,
): string | undefined {
  const content = types.find((type) => type.name === name)?.content;
  if (content === undefined || content instanceof ImportFault) return undefined;
  const single = content.type.fields.filter(({ repeats }) => repeats !== true);
  const own = single.find(({ as }) => as === "base64");
  if (own !== undefined || depth === 2) return own && appendToPointer("", own.name);
  for (const field of single) {
    const inner = fileIn(types, field.type, depth + 1);
    if (inner !== undefined) return appendToPointer("", field.name) + inner;
  }
  return undefined;
}

/**
 * Describes the place of the code in the declared faults; undefined without faults. The text suggests no failure rows,
 * because only the insurer knows which codes mean that nothing was done.
 */
export function faultAdvice({ operations, version }: SoapDocument): string | undefined {
  const places = new Set<string>();
  for (const { faults } of operations.values())
    for (const { element, type } of faults) {
      const { content } = type;
      const code = content instanceof ImportFault ? undefined : content.type.fields.find(isCode);
      if (code !== undefined) places.add(`/fault/detail/${element}/${code.xmlName ?? code.name}`);
    }
  if (places.size === 0) return undefined;
  const where =
    version === "1.1"
      ? "status 500, media text/xml"
      : "status 400 or 500, media application/soap+xml";
  return `Faults have a code at ${[...places].toSorted().join(", ")}. Ask the insurer with which codes it has done nothing, and add rows to failures with ${where}, this place (at) and these codes (is). Without a row, a submission that gets a fault has an unknown outcome: it is not sent again.`;
}

function isCode({ is, name, type }: XmlField): boolean {
  return is === undefined && type === undefined && /^(error|fault|err)?_?code$/i.test(name);
}
