import { isJson, isSchema } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Schema } from "./schema.ts";

/** The answer of one status in its long form. */
export interface AnswerDeclaration<T = unknown> {
  /** Its schema in each media type; none for an answer without a body. */
  readonly media: Readonly<Record<string, Schema<T>>>;
  /** The answer's own headers that pass to the caller, by their names in lower case. */
  readonly headers?: Schema<unknown>;
}

/** The answers of an endpoint by status: a schema alone is JSON. */
export type AnswersByStatus = Readonly<Record<number, Schema<unknown> | AnswerDeclaration>>;

/** Answers of different types by their status: `ByStatus<{ 201: Created; 202: Accepted; 204: undefined }>`. */
export interface ByStatus<Answered extends Readonly<Record<number, unknown>>> {
  /** Never there at run time: it carries the types. */
  readonly "~byStatus": Answered;
}

/** An answer without a body, such as a 204. */
export const none: AnswerDeclaration<undefined> = { media: {} };

/** The answer that an endpoint gives with a status; undefined for a status that it does not declare. */
export function answerOf(
  { response }: Pick<Endpoint, "response">,
  status: number,
): AnswerDeclaration | undefined {
  const declared = response[status];
  if (declared === undefined) return undefined;
  return isSchema(declared) ? { media: { "application/json": declared } } : declared;
}

/** Every success status of an endpoint with its answer. */
export function answersOf(
  endpoint: Pick<Endpoint, "response">,
): readonly (readonly [status: number, answer: AnswerDeclaration])[] {
  return Object.keys(endpoint.response).flatMap((key) => {
    const answer = answerOf(endpoint, Number(key));
    return answer === undefined ? [] : [[Number(key), answer] as const];
  });
}

/** Whether an answer has no body, as `none` says. */
export function isEmptyAnswer({ media }: AnswerDeclaration): boolean {
  return Object.keys(media).length === 0;
}

/** One media type of an answer with its schema. */
export interface AnswerMedia {
  readonly mediaType: string;
  readonly schema: Schema<unknown>;
}

/**
 * The media type in which an answer came; of JSON the declared one, whatever the insurer calls it.
 * @returns undefined for a type that the answer does not declare
 */
export function answerMediaOf(
  { media }: AnswerDeclaration,
  mediaType: string,
): AnswerMedia | undefined {
  const exact = media[mediaType];
  if (exact !== undefined) return { mediaType, schema: exact };
  const [json] = Object.entries(media).filter(([type]) => isJson(type));
  return json === undefined || !isJson(mediaType)
    ? undefined
    : { mediaType: json[0], schema: json[1] };
}

/** The schema of a JSON answer; undefined for an answer that is not JSON. */
export function jsonAnswerOf({ media }: AnswerDeclaration): Schema<unknown> | undefined {
  return Object.entries(media).find(([mediaType]) => isJson(mediaType))?.[1];
}
