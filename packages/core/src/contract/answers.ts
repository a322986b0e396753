import { isJson, isSchema } from "./body.ts";
import type { Schema } from "./schema.ts";

/** The long form of a declared answer for one status. */
export interface AnswerDeclaration<T = unknown> {
  /** The schema of the answer for each media type; empty if the answer has no body. */
  readonly media: Readonly<Record<string, Schema<T>>>;
  /** Headers of the insurer's answer that the gateway forwards, by lower-case name. */
  readonly headers?: Schema<unknown>;
}

/** The answers of an endpoint by status. A schema without a media type declares JSON. */
export type AnswersByStatus = Readonly<Record<number, Schema<unknown> | AnswerDeclaration>>;

/** The property of an endpoint that declares the endpoint's answers. */
export interface WithAnswers {
  /** The answer for each success status. */
  readonly response: AnswersByStatus;
}

/** The answer types of an endpoint by status: `ByStatus<{ 201: Created; 202: Accepted; 204: undefined }>`. */
export interface ByStatus<Answered extends Readonly<Record<number, unknown>>> {
  /** Carries the types; never set at run time. */
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

/** Returns each success status of an endpoint with the declared answer. */
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

/** Reports whether an answer is declared without a body, as with `none`. */
export function isEmptyAnswer({ media }: AnswerDeclaration): boolean {
  return Object.keys(media).length === 0;
}

/** One media type of an answer with its schema. */
export interface AnswerMedia {
  readonly mediaType: string;
  readonly schema: Schema<unknown>;
}

/**
 * Returns the declared media type that matches the media type of an answer. Every JSON type matches the declared JSON
 * type.
 * @returns undefined if no declared media type matches
 */
export function answerMediaOf(
  { media }: AnswerDeclaration,
  mediaType: string,
): AnswerMedia | undefined {
  const exact = media[mediaType];
  if (exact !== undefined) return { mediaType, schema: exact };
  return isJson(mediaType) ? jsonMediaOf(media) : undefined;
}

/** Returns the schema of a JSON answer, or undefined if the answer is not JSON. */
export function jsonAnswerOf({ media }: AnswerDeclaration): Schema<unknown> | undefined {
  return jsonMediaOf(media)?.schema;
}

function jsonMediaOf(media: AnswerDeclaration["media"]): AnswerMedia | undefined {
  const found = Object.entries(media).find(([mediaType]) => isJson(mediaType));
  return found && { mediaType: found[0], schema: found[1] };
}
