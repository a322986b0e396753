import { answerMediaOf, answerOf, isEmptyAnswer } from "../contract/answers.ts";
import { bodyFormatOf, MOST_BODY_BYTES } from "../contract/body.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { check, type Fault } from "../contract/faults.ts";
import type { FilePart } from "../contract/files.ts";
import { ProblemError, ResponseInvalidError } from "../errors/index.ts";
import {
  collectBytes,
  type FailureCause,
  TransportError,
  type TransportResponse,
} from "../transport/transport.ts";
import { outcomeWithoutAnswer } from "./failure.ts";
import { asProblem } from "./problem.ts";
import { endpointNameOf } from "./request.ts";
import { parseRetryAfterSeconds } from "./retry-after.ts";

/** Status, headers and request id of an answer. */
export interface ResponseHead {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Identifier of the request in the gateway's log; null if the answer has none. */
  readonly requestId: string | null;
  /** Idempotency key of a submission; null for other kinds. */
  readonly idempotencyKey: string | null;
  /**
   * True if the gateway returned a stored answer: the answer to an earlier request with the same key or content, or to
   * an earlier attempt of this call.
   */
  readonly replayed: boolean;
}

/** Maximum size of the gateway's JSON answers, in bytes. A longer answer is from another server. */
const MAXIMUM_JSON_BYTES = 4 * 1024 * 1024;

/** Returns the status, headers and ids of an answer. `key` is the idempotency key of the request. */
export function responseHeadOf(
  { headers, status }: TransportResponse,
  idempotencyKey: string | null,
): ResponseHead {
  return {
    status,
    headers,
    requestId: headers["x-request-id"] ?? null,
    idempotencyKey,
    replayed: headers["idempotency-replayed"] === "true",
  };
}

/**
 * Reads an answer that is not a document: JSON, text, or a file in memory.
 * @throws ProblemError if the gateway answered with a problem, ResponseInvalidError if the answer violates the
 *   declaration or is not from the gateway
 */
export async function readAnswer(
  endpoint: Endpoint,
  response: TransportResponse,
): Promise<unknown> {
  await throwErrorOf(endpoint, response);
  const answer = answerOf(endpoint, response.status);
  if (answer !== undefined && isEmptyAnswer(answer)) {
    if ((await readText(endpoint, response)).trim() === "") return undefined;
    throw invalidAnswerError(
      endpoint,
      response,
      [],
      "The answer has a body, but the endpoint declares none.",
    );
  }
  const media = answer && answerMediaOf(answer, mediaTypeOf(response) || "application/json");
  if (media === undefined) {
    response.body.discard();
    const what = answer === undefined ? `status ${response.status}` : "media type of the answer";
    throw invalidAnswerError(endpoint, response, [], `The ${what} is not declared.`);
  }
  const checked = check(media.schema, await readValue(endpoint, response, media.mediaType));
  if (!checked.valid)
    throw invalidAnswerError(
      endpoint,
      response,
      checked.faults,
      "The answer breaks the declaration.",
    );
  return checked.value;
}

/** Throws the error of an answer that is not a success. */
export async function throwErrorOf(endpoint: Endpoint, response: TransportResponse): Promise<void> {
  if (response.status >= 200 && response.status < 300) return;
  if (!/^application\/problem\+json\b/i.test(response.headers["content-type"] ?? "")) {
    response.body.discard();
    throw invalidAnswerError(
      endpoint,
      response,
      [],
      `The answer has the status ${response.status} without a problem.`,
    );
  }
  const problem = asProblem(await parseJsonAnswer(endpoint, response), response.status);
  if (problem === null)
    throw invalidAnswerError(endpoint, response, [], "The problem cannot be read.");
  const retryAfter = parseRetryAfterSeconds(response.headers["retry-after"]);
  throw new ProblemError(endpointNameOf(endpoint), endpoint.provider, problem, retryAfter);
}

/** Creates the error for an answer that does not match the declaration. */
export function invalidAnswerError(
  endpoint: Endpoint,
  { headers, status }: Pick<ResponseHead, "status" | "headers">,
  faults: readonly Fault[],
  message: string,
): ResponseInvalidError {
  const { advice, outcome, retry } = outcomeWithoutAnswer(endpoint, true);
  return new ResponseInvalidError(
    {
      outcome,
      retry,
      message:
        `${message} Check that this is the gateway's address, and that the gateway's version matches this package. ${advice}`.trim(),
      provider: endpoint.provider,
      endpoint: endpointNameOf(endpoint),
      requestId: headers["x-request-id"] ?? null,
    },
    status,
    faults,
  );
}

/** Returns the media type of an answer in lower case, without parameters. */
export function mediaTypeOf({ headers }: Pick<TransportResponse, "headers">): string {
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";");
  return mediaType.trim().toLowerCase();
}

function readValue(
  endpoint: Endpoint,
  response: TransportResponse,
  mediaType: string,
): Promise<unknown> {
  const format = bodyFormatOf(mediaType);
  if (format === "json") return parseJsonAnswer(endpoint, response);
  return format === "text"
    ? readText(endpoint, response)
    : collectBytes(response.body.stream(MOST_BODY_BYTES)).then(
        (content): FilePart => ({ mediaType, content }),
      );
}

function readText(endpoint: Endpoint, response: TransportResponse): Promise<string> {
  return response.body.text(MAXIMUM_JSON_BYTES).catch((error: unknown) => {
    const fault = TransportError.isInstance(error) ? unusableBodyTexts[error.reason] : undefined;
    throw fault === undefined ? error : invalidAnswerError(endpoint, response, [], fault);
  });
}

async function parseJsonAnswer(endpoint: Endpoint, response: TransportResponse): Promise<unknown> {
  const text = await readText(endpoint, response);
  try {
    return JSON.parse(text);
  } catch {
    throw invalidAnswerError(endpoint, response, [], NOT_JSON_TEXT);
  }
}

/** Message for an answer that is not JSON. */
const NOT_JSON_TEXT = "The answer is not JSON.";

/** Reasons why a complete body is unusable. */
const unusableBodyTexts: Readonly<Partial<Record<FailureCause, string>>> = {
  unreadable: NOT_JSON_TEXT,
  too_large: "The answer is larger than 4 MB.",
};
