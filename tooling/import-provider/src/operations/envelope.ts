import { marksSuccess, type PublishedEnvelope } from "@insurance-gateway/adapter";
import { check } from "@insurance-gateway/core/contract";
import { isJson, pointerNames, withValueAt } from "@insurance-gateway/core/runtime";
import { ImportFault } from "../report.ts";
import type { SchemaNode } from "../schemas/model.ts";
import type { SchemaOf } from "../schemas/zod-of.ts";
import type { ImportedAnswer, ImportedEndpoint } from "./model.ts";
import { EXTENSION } from "./options.ts";

/** Reports whether an answer is JSON that declares the envelope's field. */
export function hasEnvelope(answer: ImportedAnswer, envelope: PublishedEnvelope): boolean {
  return fieldsOf(answer, envelope).length > 0;
}

/**
 * Returns which answers of an endpoint have the envelope, for the declaration of the endpoint's call: `false` for no
 * answer, undefined for all JSON answers, or a list of the statuses.
 */
export function envelopeOf(
  { answers }: Pick<ImportedEndpoint, "answers">,
  envelope: PublishedEnvelope,
): false | readonly number[] | undefined {
  const json = answers.filter(({ media }) => media.some(({ mediaType }) => isJson(mediaType)));
  const wrapped = json.filter((answer) => hasEnvelope(answer, envelope));
  if (wrapped.length === 0) return false;
  return wrapped.length === json.length ? undefined : wrapped.map(({ status }) => status);
}

/** @throws ImportFault if no answer has the envelope's field, or if the field cannot have the success value */
export function checkEnvelope(
  envelope: PublishedEnvelope,
  endpoints: readonly Pick<ImportedEndpoint, "answers">[],
  schemaOf: SchemaOf,
): void {
  const { at, success } = envelope;
  const fields = endpoints.flatMap(({ answers }) =>
    answers.flatMap((answer) => fieldsOf(answer, envelope)),
  );
  if (fields.length === 0)
    throw new ImportFault(`${EXTENSION}: no answer has the field ${at} of /envelope`, "");
  const home = { id: "envelope", title: "envelope" };
  const found = fields.map((node) =>
    schemaOf({ side: "answer", title: home.title, home, description: "", node }),
  );
  // If the envelope's field is missing, its value counts as null.
  const unusable = success.find(
    (mark) => mark !== null && !found.some((schema) => check(schema, mark).valid),
  );
  if (unusable !== undefined)
    throw new ImportFault(
      `${EXTENSION}: /envelope has the success value ${JSON.stringify(unusable)}, which the field ${at} cannot have (a 64-bit number is written as the string of its digits)`,
      "",
    );
}

/** Returns the schemas that a JSON answer declares for the envelope's field. */
function fieldsOf({ media }: ImportedAnswer, { at }: PublishedEnvelope): readonly SchemaNode[] {
  return media
    .filter(({ mediaType }) => isJson(mediaType))
    .flatMap(({ definition }) => nodesAt(definition.node, pointerNames(at)));
}

function nodesAt(node: SchemaNode, names: readonly string[]): readonly SchemaNode[] {
  const [name, ...deeper] = names;
  if (name === undefined) return [node];
  switch (node.type) {
    case "named":
      return nodesAt(node.definition.node, names);
    case "nullable":
      return nodesAt(node.inner, names);
    case "union":
      return node.alternatives.flatMap((one) => nodesAt(one, names));
    case "object":
      return node.fields
        .filter((field) => field.name === name)
        .flatMap((field) => nodesAt(field.schema, deeper));
    default:
      return [];
  }
}

/**
 * Returns examples of successful answers: first the examples that the envelope marks as successful, then the other
 * examples with each success value inserted.
 */
export function successExamples(
  answers: readonly unknown[],
  envelope: PublishedEnvelope,
): readonly unknown[] {
  const marked = answers.filter((answer) => marksSuccess(envelope, answer));
  const others = answers.filter((answer) => !marksSuccess(envelope, answer));
  return [
    ...marked,
    ...others.flatMap((answer) =>
      envelope.success.flatMap((mark) => [
        ...(mark === null ? [withValueAt(answer, envelope.at, undefined)] : []),
        withValueAt(answer, envelope.at, mark),
      ]),
    ),
  ];
}
