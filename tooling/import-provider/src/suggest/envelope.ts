import type { PublishedEnvelope } from "@insurance-gateway/adapter";
import { isJson } from "@insurance-gateway/core/runtime";
import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type JsonObject,
  listOf,
  membersOf,
} from "../document/references.ts";
import { mediaOf } from "../operations/bodies.ts";
import { operationsOf } from "../operations/select.ts";
import { ImportFault } from "../report.ts";
import { mergeAllOf } from "../schemas/merge-all-of.ts";
import { codeIn } from "./failures.ts";

/** Field names for a success flag, in lower case without separators. */
const FLAG_NAMES = ["success", "succeeded", "successful", "issuccess", "issuccessful", "ok"];
const STATES = ["status", "result", "outcome", "state", "resultcode", "statuscode", "returncode"];
/** Field names beside the payload for one or several errors. */
const ERROR_FIELDS = ["error", "errors", "fault", "faults"];
const PAYLOADS = ["data", "result", "results", "payload", "response", "content", "body"];
/** The names of objects beside the payload that may contain the success flag. */
const HEADER_NAMES = [
  "head",
  "header",
  "meta",
  "status",
  "result",
  "responseheader",
  "responsestatus",
];
const SUCCESS = /^(ok|success|succeeded|successful|passed|done)$/i;
const FAILURE = /^(ko|nok|not_?ok|error|err|fail|failed|failure|fault|unsuccessful)$/i;

/** The field by which an answer marks a success, and the reason why it is suggested. */
interface SuccessMarker extends PublishedEnvelope {
  readonly what: string;
  /** The place of the code in an error answer. */
  readonly code?: string;
}

/**
 * Returns the envelope that most JSON answers of a document have; undefined if fewer than half of the answers have an
 * envelope.
 */
export function suggestedEnvelope(
  document: ImportDocument,
): { readonly envelope: PublishedEnvelope; readonly reason: string } | undefined {
  const markers = new Map<string, { marker: SuccessMarker; count: number }>();
  let answers = 0;
  for (const { located } of operationsOf(document)) {
    const schema = successSchema(document, located.value.responses);
    if (schema === undefined) continue;
    answers++;
    const marker = markerIn(document, schema);
    if (marker === undefined) continue;
    const key = JSON.stringify([marker.at, marker.success]);
    markers.set(key, { marker, count: (markers.get(key)?.count ?? 0) + 1 });
  }
  const [usual] = [...markers.values()].toSorted((one, other) => other.count - one.count);
  if (usual === undefined || usual.count * 2 < answers) return undefined;
  const { marker, count } = usual;
  const { at, code, success, what } = marker;
  const rows = `add rows to failures with status 200${code === undefined ? "" : ` and the codes at ${code}`} for what proves that the insurer has done nothing`;
  return {
    envelope: { at, success },
    reason: `${count} of ${answers} JSON answers have ${what}: without ${success.map((one) => JSON.stringify(one)).join(" or ")} at ${at}, an answer is an error, whatever its status. A submission then has an unknown outcome; ${rows}.`,
  };
}

/** Returns the schema of an operation's success answer; undefined if the schema cannot be read. */
function successSchema(document: ImportDocument, responses: unknown): JsonObject | undefined {
  try {
    const [, response] = membersOf(responses).find(([status]) => /^2\d\d$/.test(status)) ?? [];
    if (!isObject(response)) return undefined;
    const media = mediaOf(document.follow(response, "")).find(({ type }) => isJson(type));
    return media && merged(document, media.located.value.schema);
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error;
    return undefined;
  }
}

function merged(document: ImportDocument, schema: unknown): JsonObject {
  return isObject(schema) ? mergeAllOf(document, schema, "").schema : {};
}

function markerIn(document: ImportDocument, schema: JsonObject): SuccessMarker | undefined {
  const members = fieldsOf(document, schema);
  const error = members.find(({ name }) => ERROR_FIELDS.includes(name));
  const code = error && (codeIn(document, error.schema, 0) ?? codeIn(document, itemsOf(error), 0));
  const isList = error !== undefined && isObject(error.schema.items);
  const where =
    error === undefined || code === undefined || isList ? undefined : `${error.at}${code}`;
  const heads = members.filter(({ name }) => HEADER_NAMES.includes(name));
  const marker =
    successMarkIn(members) ??
    heads.map((head) => successMarkIn(fieldsOf(document, head.schema, head.at))).find(isMarker) ??
    errorIn(members);
  return marker && { ...marker, ...(where === undefined ? {} : { code: where }) };
}

interface Member {
  /** The field name in lower case without separators. */
  readonly name: string;
  readonly at: string;
  readonly schema: JsonObject;
}

function fieldsOf(document: ImportDocument, schema: JsonObject, at = ""): readonly Member[] {
  return membersOf(schema.properties).map(([name, member]) => ({
    name: name.toLowerCase().replaceAll(/[^a-z]/g, ""),
    at: `${at}${appendToPointer("", name)}`,
    schema: merged(document, member),
  }));
}

function itemsOf({ schema }: Member): unknown {
  return schema.items;
}

/** Returns a success flag, or a state with some values for success and others for failure. */
function successMarkIn(members: readonly Member[]): SuccessMarker | undefined {
  const flag = members.find(
    ({ name, schema }) => FLAG_NAMES.includes(name) && schema.type === "boolean",
  );
  if (flag !== undefined) return { at: flag.at, success: [true], what: "a flag for success" };
  return members
    .filter(({ name }) => STATES.includes(name))
    .map(({ at, schema }): SuccessMarker | undefined => {
      const values = listOf(schema.enum).filter((value) => typeof value === "string");
      const success = values.filter((value) => SUCCESS.test(value));
      return success.length > 0 && values.some((value) => FAILURE.test(value))
        ? { at, success, what: "a state with values for success and failure" }
        : undefined;
    })
    .find(isMarker);
}

/** Returns an error field beside a payload. */
function errorIn(members: readonly Member[]): SuccessMarker | undefined {
  const error = members.find(({ name }) => ERROR_FIELDS.includes(name));
  return error !== undefined && members.some(({ name }) => PAYLOADS.includes(name))
    ? { at: error.at, success: [null], what: "an error beside the payload" }
    : undefined;
}

function isMarker(marker: SuccessMarker | undefined): marker is SuccessMarker {
  return marker !== undefined;
}
