import type { FileType } from "@insurance-gateway/core/contract";
import {
  answerHeaderFault,
  bodyFormatOf,
  type EndpointKind,
  isHtml,
  isJson,
  kindPolicies,
} from "@insurance-gateway/core/runtime";
import {
  appendToPointer,
  isObject,
  type Located,
  membersOf,
  textOf,
} from "../document/references.ts";
import { ImportFault } from "../report.ts";
import type { Definition, Field } from "../schemas/model.ts";
import type { Place, SchemaReader } from "../schemas/read-schema.ts";
import { mediaOf, type PublishedMedia, reportParameters } from "./bodies.ts";
import { fileTypeOf } from "./file-types.ts";
import type { ImportedAnswer } from "./model.ts";
import { examplesOf } from "./parameters.ts";

/** A success answer of an operation in the document. */
export interface PublishedAnswer {
  readonly status: number;
  readonly located: Located;
}

/**
 * Returns the success answers of an operation.
 * @throws ImportFault for an operation that documents only redirections or errors
 */
export function successesOf(
  reader: SchemaReader,
  operation: Located,
  name: string,
): readonly PublishedAnswer[] {
  const responses = {
    value: operation.value.responses,
    pointer: appendToPointer(operation.pointer, "responses"),
  };
  const found = membersOf(responses.value).map(([status, response]) => ({
    status,
    located: reader.document.follow(response, appendToPointer(responses.pointer, status)),
  }));
  const exact = found.filter(({ status }) => /^2\d\d$/.test(status));
  const usual =
    exact.length > 0 ? [] : found.filter(({ status }) => /^(2xx|default)$/i.test(status));
  const [any] = usual;
  if (exact.length === 0 && any === undefined)
    throw new ImportFault(
      "has no success answer: add one of 200 to 299 in the overlay",
      responses.pointer,
    );
  if (any !== undefined)
    reader.report.add({
      operation: name,
      pointer: any.located.pointer,
      effect: "Its success is declared as 200; another status must be added in the overlay.",
      severity: "loosened",
    });
  return any === undefined
    ? exact.map(({ located, status }) => ({ status: Number(status), located }))
    : [{ status: 200, located: any.located }];
}

/** Returns the file types of an operation if all answers with a body are files; otherwise an empty list. */
export function filesOf(answers: readonly PublishedAnswer[]): readonly FileType[] {
  const types = answers.flatMap(({ located }) => mediaOf(located).map(({ type }) => type));
  const isFile = types.length > 0 && types.every((type) => bodyFormatOf(type) === "bytes");
  return isFile ? [...new Set(types)].map(fileTypeOf) : [];
}

/**
 * Reads the success answers of an operation.
 * @throws ImportFault for an answer that endpoints of this kind cannot have
 */
export function readAnswers(
  reader: SchemaReader,
  answers: readonly PublishedAnswer[],
  kind: EndpointKind,
  place: Place,
): { readonly answers: readonly ImportedAnswer[]; readonly examples: readonly unknown[] } {
  const several = answers.length > 1;
  const read = answers.map(({ located, status }): ImportedAnswer => {
    const title = `${place.title} answer${several ? ` ${status}` : ""}`;
    const inside = { ...place, title, side: "answer" as const };
    const headers = headersOf(reader, located, inside);
    const media = isEmpty(status) ? [] : answerMedia(reader, located, kind, inside);
    if (media.length === 0 && !isUsuallyEmpty(status) && kindPolicies[kind].actsAtInsurer)
      reader.report.add({
        operation: place.operation,
        pointer: located.pointer,
        effect: `The success ${status} has no content. If the insurer answers with another status, each outcome is unknown and a person has to resolve it. Try it at the insurer, and correct the status or the content in the overlay, as in \`update: { "201": { description: Created, content: { … } } }\` of the target \`$.paths['${place.operation.split(" ")[1]}'].${place.operation.split(" ")[0]?.toLowerCase()}.responses\`.`,
        severity: "doubtful",
      });
    return {
      status,
      media,
      ...(headers === undefined ? {} : { headers }),
    };
  });
  const [first] = answers;
  const shown = first === undefined ? [] : mediaOf(first.located).slice(0, 1);
  return {
    answers: read,
    examples: shown.flatMap(({ located }) => examplesOf(reader.document, located)),
  };
}

/** Reports whether HTTP defines the status without content (RFC 9110, sections 15.3.5 and 15.3.6). */
function isEmpty(status: number): boolean {
  return status === 204 || status === 205;
}

/**
 * Reports whether an answer of this status often has no content, because the insurer has only accepted the submission.
 */
function isUsuallyEmpty(status: number): boolean {
  return status === 202 || isEmpty(status);
}

function answerMedia(
  reader: SchemaReader,
  answer: Located,
  kind: EndpointKind,
  place: Place,
): ImportedAnswer["media"] {
  const media = mediaOf(answer);
  const published = membersOf(answer.value.content).map(([name]) => name);
  const usable = usableMediaOf(media, kind);
  if (published.length > 0 && usable.length === 0)
    throw new ImportFault(
      `answers only with ${published.join(", ")}, which a ${kind} cannot; the overlay can make it another kind, or name another media type`,
      answer.pointer,
    );
  reportParameters(answer, media, { operation: place.operation, report: reader.report });
  const declared: { mediaType: string; definition: Definition }[] = [];
  for (const { located, type } of usable) {
    const isText = bodyFormatOf(type) === "text";
    const definition = isText
      ? reader.name({ type: "string" }, place, "")
      : reader.define(located.value.schema ?? {}, {
          ...place,
          pointer: appendToPointer(located.pointer, "schema"),
        });
    const node =
      definition.node.type === "named" ? definition.node.definition.node : definition.node;
    if (node.type === "string" && located.pointer.endsWith("*"))
      reader.report.add({
        operation: place.operation,
        pointer: located.pointer,
        effect:
          "The answer is a text of any media type, and is read as JSON. If the insurer sends it without quotes, each call fails: name text/plain in the overlay, or another answer.",
        severity: "doubtful",
      });
    const [first] = declared;
    if (first === undefined || first.definition === definition)
      declared.push({ mediaType: type, definition });
  }
  for (const { located, type } of media)
    if (!declared.some(({ mediaType }) => mediaType === type))
      reader.report.add({
        operation: place.operation,
        pointer: located.pointer,
        effect: `The answer is not offered as ${type}, only as ${declared.map(({ mediaType }) => mediaType).join(", ")}.`,
        // Other media types contain the same answer in another format, but a file has other content.
        severity: bodyFormatOf(type) === "bytes" && !/[/+]xml$/.test(type) ? "lost" : "loosened",
      });
  return declared;
}

/**
 * Returns the media types in which an endpoint of a kind can answer: JSON, or text if the answer has no JSON and calls
 * of the kind store nothing.
 */
function usableMediaOf(
  media: readonly PublishedMedia[],
  kind: EndpointKind,
): readonly PublishedMedia[] {
  const json = media.filter(({ type }) => isJson(type));
  if (json.length > 0) return json;
  if (kindPolicies[kind].actsAtInsurer || kind === "search") return [];
  return media.filter(({ type }) => bodyFormatOf(type) === "text" && !isHtml(type));
}

/** Headers that the adapter reads for paging; callers receive their content in another form. */
const READ_BY_PAGING = ["link"];

function headersOf(reader: SchemaReader, answer: Located, place: Place): Definition | undefined {
  const fields = membersOf(answer.value.headers).flatMap(([name, header]): readonly Field[] => {
    const lower = name.toLowerCase();
    if (READ_BY_PAGING.includes(lower) || answerHeaderFault(lower) !== null) return [];
    const pointer = appendToPointer(answer.pointer, "headers", name);
    const { value } = reader.document.follow(header, pointer);
    const node = reader.read(isObject(value.schema) ? value.schema : { type: "string" }, {
      ...place,
      pointer: appendToPointer(pointer, "schema"),
      title: `${place.title} ${name}`,
    });
    const isScalar = ["string", "integer", "number", "boolean", "digits"].includes(node.type);
    const schema = isScalar ? node : ({ type: "string" } as const);
    return [{ name: lower, schema, required: false, description: textOf(value.description) ?? "" }];
  });
  if (fields.length === 0) return undefined;
  const title = `${place.title} headers`;
  return reader.name(
    { type: "object", fields, others: "open", needsOneOf: [] },
    { ...place, title },
    "",
  );
}
