import { stringify } from "yaml";
import { readDocument } from "../document/read-document.ts";
import { type ImportDocument, listOf, membersOf, textOf } from "../document/references.ts";
import { filesOf, type PublishedAnswer, successesOf } from "../operations/answers.ts";
import { EXTENSION, type OperationOptions } from "../operations/options.ts";
import { operationsOf, type SelectedOperation } from "../operations/select.ts";
import { ImportFault, lossReport } from "../report.ts";
import { schemaReader } from "../schemas/read-schema.ts";
import type { SoapDocument } from "../wsdl/arrange.ts";
import { faultAdvice, type SoapSuggestion, suggestedSoapOperation } from "../wsdl/suggest-soap.ts";
import { suggestedEnvelope } from "./envelope.ts";
import { suggestedFailures } from "./failures.ts";
import { suggestedPaging } from "./paging.ts";
import {
  actingWordIn,
  actingWordOfGet,
  CALCULATION_WORDS,
  DOCUMENT_WORDS,
  firstWordOf,
  QUERY_WORDS,
} from "./verbs.ts";

/** The suggestion for one operation, with its reasons. */
interface Suggestion {
  readonly options: OperationOptions | SoapSuggestion["options"];
  readonly reason: string;
}

/**
 * Writes a first overlay for a document with a kind and a reason for each operation. All suggestions are guesses from
 * names and structures, which a person must correct.
 * @throws ImportFault for an unreadable document
 */
export function suggestOverlay(from: string): string {
  const { document, soap, title, version } = readDocument(from);
  const failures =
    soap === undefined ? suggestedFailures(document) : { rows: [], reason: faultAdvice(soap) };
  const enveloped = suggestedEnvelope(document);
  const reasons = [failures.reason, enveloped?.reason].filter((reason) => reason !== undefined);
  const actions = operationsOf(document).map((operation) => {
    const { options, reason } = suggestionFor(document, operation, soap);
    return {
      target: `$.paths[${quoted(operation.path)}].${operation.method.toLowerCase()}`,
      description: reason,
      update: { [EXTENSION]: options },
    };
  });
  const overlay = {
    overlay: "1.0.0",
    info: { title: `What is imported of ${title}`, version },
    actions: [
      {
        target: "$",
        description:
          reasons.length > 0
            ? reasons.join(" ")
            : "Add the lines of insurance, and what the operator configures (settings).",
        update: {
          [EXTENSION]: {
            lines: [],
            ...(failures.rows.length > 0 ? { failures: failures.rows } : {}),
            ...(enveloped === undefined ? {} : { envelope: enveloped.envelope }),
          },
        },
      },
      ...actions,
    ],
  };
  return stringify(overlay, { lineWidth: 100 });
}

/** Returns a name in JSONPath's brackets (RFC 9535, section 2.3.1). */
function quoted(name: string): string {
  return `'${name.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

type Operation = Omit<SelectedOperation, "options">;

/** Words in the names of operations that manage keys, users or webhooks, which brokers must never reach. */
const MANAGEMENT_WORDS =
  /\b(api ?keys?|tokens?|log ?in|logout|oauth|passwords?|users?|roles?|permissions?|admin|webhooks?|subscriptions?|health|ping|diagnostics|version|audit)\b/i;
/** Words in the names of reference data. */
const REFERENCE_WORDS =
  /\b(countries|currencies|brands|makes|models|occupations|professions|codes|classifications|types|usages|categories|products|covers|coverages|questions)\b/i;
function suggestionFor(
  document: ImportDocument,
  operation: Operation,
  soap: SoapDocument | undefined,
): Suggestion {
  const words = wordsOf(operation);
  const management = MANAGEMENT_WORDS.exec(words)?.[0];
  if (management !== undefined)
    return leftOut(
      `"${management}" sounds like managing the interface, which brokers must never reach`,
    );
  try {
    const known = soap?.operations.get(operation.path);
    if (known?.fault !== undefined) throw known.fault;
    const name = textOf(operation.located.value.operationId) ?? "";
    return known === undefined
      ? insuranceSuggestion(document, operation, words)
      : suggestedSoapOperation(name, known, REFERENCE_WORDS.test(words));
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error;
    return leftOut(`${error.pointer} ${error.message}`);
  }
}

function insuranceSuggestion(
  document: ImportDocument,
  operation: Operation,
  words: string,
): Suggestion {
  const { located, method } = operation;
  const reader = schemaReader(document, lossReport());
  const answers = successesOf(reader, located, operation.path);
  const hasParameters =
    listOf(located.value.parameters).length + listOf(operation.pathItem.value.parameters).length >
    0;
  const hasFile = filesOf(answers).length > 0;
  const paging = suggestedPaging(document, operation, answers);
  if (method !== "GET")
    return suggestionForActing(
      document,
      operation,
      paging,
      hasFile ? documentSuggestion(answers) : undefined,
    );
  const acting = actingWordOfGet(nameOf(operation));
  if (acting !== undefined)
    return leftOut(
      `"${acting}" sounds as if something changes, and a GET is sent again after a failure`,
    );
  if (hasFile) return documentSuggestion(answers);
  if (paging !== undefined)
    return {
      options: { kind: "search", paging: paging.paging },
      reason: `A search: ${paging.reason}`,
    };
  const reference = hasParameters ? undefined : REFERENCE_WORDS.exec(words)?.[0];
  return reference === undefined
    ? { options: { kind: "read" }, reason: "A read: it is a GET." }
    : {
        options: { kind: "lookup" },
        reason: `A lookup: "${reference}" sounds like reference data, which is the same for everybody.`,
      };
}

/**
 * Suggests the kind of an operation other than GET. The gateway would retry a submission that has the kind read by
 * mistake, so for a read the name must begin with a reading word and contain no word for a change.
 */
function suggestionForActing(
  document: ImportDocument,
  operation: Operation,
  paging: ReturnType<typeof suggestedPaging>,
  file: Suggestion | undefined,
): Suggestion {
  const { method } = operation;
  const name = nameOf(operation);
  const acting = actingWordIn(namesOf(operation));
  const isQuiet = method === "POST" && acting === undefined && !isReadBack(document, operation);
  const first = (among: readonly string[]): string | undefined =>
    isQuiet ? firstWordOf(name, among) : undefined;
  if (file !== undefined)
    return first(DOCUMENT_WORDS) === undefined
      ? leftOut(`its answers are bytes, and nothing says that this ${method} changes nothing`)
      : file;
  const reading = first(QUERY_WORDS);
  if (reading !== undefined)
    return paging === undefined
      ? {
          options: { kind: "read" },
          reason: `A read by POST: "${reading}" sounds as if the operation changes nothing. If it changes something, make it a submission.`,
        }
      : {
          options: { kind: "search", paging: paging.paging },
          reason: `A search by POST: ${paging.reason}`,
        };
  const calculation = first(CALCULATION_WORDS);
  if (calculation !== undefined)
    return {
      options: { kind: "quote" },
      reason: `A quote: "${calculation}" sounds like a calculation. If the insurer stores it, make it a submission.`,
    };
  return {
    options: { kind: "submission" },
    reason: `A submission: it is a ${method}, and ${acting === undefined ? "nothing says that it only reads" : `"${acting}" sounds as if something changes`}. Declare how the gateway finds out an unknown outcome (reconcile).`,
  };
}

function documentSuggestion(answers: readonly PublishedAnswer[]): Suggestion {
  const isLater = answers.some(({ status }) => status === STATUS_ACCEPTED);
  return {
    options: { kind: "document", ...(isLater ? { notReady: STATUS_ACCEPTED } : {}) },
    reason: `A document: its answers are bytes${isLater ? ", and 202 sounds as if the file is not there yet" : ""}.`,
  };
}

/** 202: the insurer has the request but has not finished it (RFC 9110, section 15.3.3). */
const STATUS_ACCEPTED = 202;

function leftOut(reason: string): Suggestion {
  return { options: { select: false }, reason: `Left out: ${reason}.` };
}

/** Returns an operation's id, or the last part of its path that is not a parameter. */
function nameOf({ located: { value }, path }: Operation): string {
  const segments = path.split("/").filter((segment) => segment !== "" && !segment.includes("{"));
  return textOf(value.operationId) ?? segments.at(-1) ?? "";
}

/** Reports whether the created item can be read later, which means that the insurer stores it. */
function isReadBack({ root }: ImportDocument, { path }: Operation): boolean {
  return membersOf(root.paths).some(([other]) => other.startsWith(`${path}/{`));
}

/** Returns an operation's id, its path without parameters and its summary. */
function namesOf({ located: { value }, path }: Operation): string {
  return [textOf(value.operationId), path.replaceAll(/\{[^}]*\}/g, " "), textOf(value.summary)]
    .filter((text) => text !== undefined)
    .join(" ");
}

/** Returns the names and tags of an operation as words. */
function wordsOf(operation: Operation): string {
  const tags = listOf(operation.located.value.tags).filter((tag) => typeof tag === "string");
  return [namesOf(operation), ...tags]
    .join(" ")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ");
}
