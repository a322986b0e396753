import { isJson, isSchema } from "./body.ts";
import type { Schema } from "./schema.ts";

/** The long form of a declared answer for one status. */
export interface AnswerDeclaration<T = unknown> {
  /** Its schema in each media type; none for an answer without a body. */
  readonly media: Readonly<Record<string, Schema<T>>>;
  /** Headers of the insurer's answer that the gateway forwards, by lower-case name. */
  readonly headers?: Schema<unknown>;
}

/** The answers of an endpoint by status. A schema without a media type declares JSON. */
export type AnswersByStatus = Readonly<Record<number, Schema<unknown> | AnswerDeclaration>>;

/** The part of an endpoint that declares its answers. */
export interface WithAnswers {
  /** The answer for each success status. */
  readonly response: AnswersByStatus;
}

/** Answers of different types by their status: `ByStatus<{ 201: Created; 202: Accepted; 204: undefined }>`. */
export interface ByStatus<Answered extends Readonly<Record<number, unknown>>> {
  /** Never set at run time; it only carries the types. */
  readonly "~byStatus": Answered;
}

/** An answer without a body, such as a 204. */
export const none: AnswerDeclaration<undefined> = { media: {} };

/** Returns the declared answer for a status, or undefined if the endpoint does not declare the status. */
export function answerOf({ response }: WithAnswers, status: number): AnswerDeclaration | undefined {
  const declared = response[status];
  if (declared === undefined) return undefined;
  return isSchema(declared) ? { media: { "application/json": declared } } : declared;
}

/** Every success status of an endpoint with its answer. */
export function answersOf(
  endpoint: WithAnswers,
): readonly (readonly [status: number, answer: AnswerDeclaration])[] {
  const answers: (readonly [status: number, answer: AnswerDeclaration])[] = [];
  for (const key of Object.keys(endpoint.response)) {
    const status = Number(key);
    const answer = answerOf(endpoint, status);
    if (answer !== undefined) answers.push([status, answer]);
  }
  return answers;
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
 * Returns the declared media type of an answer. If the answer is JSON under another name, that is the declared JSON
 * type.
 * @returns undefined for a media type that is not declared
 */
export function answerMediaOf(
  { media }: AnswerDeclaration,
  mediaType: string,
): AnswerMedia | undefined {
  const exact = media[mediaType];
  if (exact !== undefined) return { mediaType, schema: exact };
  return isJson(mediaType) ? jsonMediaOf(media) : undefined;
}

/** The schema of a JSON answer; undefined for an answer that is not JSON. */
export function jsonAnswerOf({ media }: AnswerDeclaration): Schema<unknown> | undefined {
  return jsonMediaOf(media)?.schema;
}

function jsonMediaOf(media: AnswerDeclaration["media"]): AnswerMedia | undefined {
  const found = Object.entries(media).find(([mediaType]) => isJson(mediaType));
  return found && { mediaType: found[0], schema: found[1] };
}
