import { marksSuccess, type PublishedEnvelope } from "@insurance-gateway/adapter";
import { isJson, pointerNames, withValueAt } from "@insurance-gateway/core/contract";
import type { SchemaNode } from "../schemas/model.ts";
import type { ImportedEndpoint } from "./model.ts";

/** Whether a JSON answer of an endpoint declares the envelope's field. */
export function hasEnvelope(
  { answers }: Pick<ImportedEndpoint, "answers">,
  { at }: PublishedEnvelope,
): boolean {
  return answers.some(({ media }) =>
    media.some(
      ({ definition, mediaType }) =>
        isJson(mediaType) && declares(definition.node, pointerNames(at)),
    ),
  );
}

function declares(node: SchemaNode, [name, ...deeper]: readonly string[]): boolean {
  if (name === undefined) return true;
  switch (node.type) {
    case "named":
      return declares(node.definition.node, [name, ...deeper]);
    case "nullable":
      return declares(node.inner, [name, ...deeper]);
    case "union":
      return node.alternatives.some((one) => declares(one, [name, ...deeper]));
    case "object":
      return node.fields.some((field) => field.name === name && declares(field.schema, deeper));
    default:
      return false;
  }
}

/** The answers that the envelope marks as a success, and then the others with a mark of success. */
export function successesLike(
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
