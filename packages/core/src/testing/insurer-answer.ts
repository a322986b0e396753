import { answerMediaOf, answerOf, isEmptyAnswer } from "../contract/answers.ts";
import { bodyFormatOf, isJson } from "../contract/body.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { type FailureRow, failureCodes, failureRowOf, isHtml } from "../contract/failures.ts";
import { check } from "../contract/faults.ts";
import { answerTypes, fileNameOf, fileTypeOf, isFilePart } from "../contract/files.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { actsAtInsurer, kindPolicies } from "../contract/kinds.ts";
import { isClosed } from "../contract/match.ts";
import { bindingFault, insurerIdOf, lacksIdentifier, shownIdOf } from "../rules/binding.ts";
import { declaredFailures, declaredFaults, PROBLEM_TYPE } from "../rules/declared-failures.ts";
import { declaredHeaders } from "../rules/declared-headers.ts";
import {
  documentNotReady,
  refusalOfAnswer,
  refusalOfBadAnswer,
  refusalOfForeignAnswer,
} from "../rules/insurer-outcome.ts";
import { onePagePdf } from "../rules/one-page-pdf.ts";
import { headersOfPage } from "../rules/page-headers.ts";
import type { Refusal } from "../rules/refusal.ts";
import { refusalOfFailure } from "../rules/request-failure.ts";
import { retryAfterIn } from "../rules/retry-after-header.ts";
import { TransportError } from "../transport/transport.ts";
import type { SimulatedAnswer } from "./simulated-insurer.ts";

/** The gateway's answer to an insurer's success. */
export interface GatewayAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Uint8Array;
  readonly insurerId: string | null;
  /** True if the answer reports that the submission was declined or has ended. */
  readonly closed: boolean;
}

/**
 * Returns the gateway's answer for a simulated insurer's answer, as for an insurer that uses the declared contract.
 * @throws Refusal for any answer except the declared success
 */
export function gatewayAnswerOf(
  endpoint: Endpoint,
  input: CheckedInput,
  answer: SimulatedAnswer,
): GatewayAnswer {
  const { headers = {}, status } = answer;
  if ("silence" in answer) throw refusalOfFailure(endpoint, new TransportError("wait", "timeout"));
  if ("problem" in answer) throw refusalOfProblem(endpoint, answer);
  if (endpoint.files !== undefined && status === endpoint.notReady)
    throw documentNotReady({ headers, status });
  if ("document" in answer)
    return gatewayAnswerOfFile(endpoint, { mediaType: "application/pdf", content: onePagePdf() });
  if ("file" in answer)
    return endpoint.files === undefined
      ? gatewayAnswerOfValue(endpoint, input, {
          status,
          headers,
          value: answer.file,
          ...answer.file,
        })
      : gatewayAnswerOfFile(endpoint, answer.file);
  if ("body" in answer)
    return gatewayAnswerOfValue(endpoint, input, { status, headers, value: answer.body });
  return gatewayAnswerOfText(endpoint, input, answer);
}

function refusalOfProblem(
  endpoint: Endpoint,
  { headers = {}, problem, status }: Extract<SimulatedAnswer, { readonly problem: unknown }>,
): Refusal {
  const acts = actsAtInsurer(endpoint);
  const failure = { status, acts, mediaType: PROBLEM_TYPE, content: problem };
  return refusalOfAnswer(endpoint, {
    status,
    row: failureRowOf(declaredFailures, failure) ?? sandboxFailureRow(status, problem.code),
    faults: declaredFaults(problem),
    isForeign: false,
    retryAfterSeconds: retryAfterIn(headers["retry-after"] ?? ""),
    stage: "acting",
  });
}

/** Returns the failure row of a refusal whose code is one of the codes of `failures`; undefined for any other code. */
function sandboxFailureRow(status: number, name: string): FailureRow | undefined {
  const code = failureCodes.find((known) => known === name);
  return code && { status, code, outcome: "rejected", why: "The sandbox documents it." };
}

/** Returns the gateway's answer for a raw text. Only the declared JSON is a success. */
function gatewayAnswerOfText(
  endpoint: Endpoint,
  input: CheckedInput,
  { headers = {}, mediaType, status, text }: Extract<SimulatedAnswer, { readonly text: string }>,
): GatewayAnswer {
  const isForeign = isHtml(mediaType);
  if (status > 299)
    throw refusalOfAnswer(endpoint, {
      status,
      row: undefined,
      faults: [],
      isForeign,
      retryAfterSeconds: retryAfterIn(headers["retry-after"] ?? ""),
      stage: "acting",
    });
  const value = isJson(mediaType) ? parseJson(text) : undefined;
  if (value === undefined)
    throw refusalOfBadAnswer(endpoint, {
      detail: "The insurer's answer is not JSON.",
      isForeign,
      received: status,
      insurerId: null,
    });
  return gatewayAnswerOfValue(endpoint, input, { status, headers, value });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Answer of a simulated insurer whose body has been decoded. */
interface DecodedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: unknown;
  /** Media type of the answer. Default: the declared JSON or text. */
  readonly mediaType?: string;
}

function gatewayAnswerOfValue(
  endpoint: Endpoint,
  input: CheckedInput,
  { headers, mediaType, status, value }: DecodedAnswer,
): GatewayAnswer {
  const foreign = bindingFault(endpoint, input.body, value, { isNewConnection: true, except: [] });
  if (foreign !== null) throw refusalOfForeignAnswer(endpoint, status, foreign);
  const insurerId = insurerIdOf(endpoint, value);
  const declared = answerOf(endpoint, status);
  const [usual = "application/json"] = Object.keys(declared?.media ?? {});
  const media = declared && answerMediaOf(declared, mediaType ?? usual);
  const passed = declared && declaredHeaders(declared, headers);
  const hasForm =
    media === undefined
      ? declared !== undefined && isEmptyAnswer(declared) && value === undefined
      : check(media.schema, value).valid;
  const paging =
    endpoint.kind === "search" ? headersOfPage(endpoint, input, { headers, value }) : {};
  if (!hasForm || !passed || paging === null)
    throw refusalOfBadAnswer(endpoint, {
      detail: "The insurer's answer breaks the declaration.",
      received: status,
      insurerId: shownIdOf(endpoint, value, input.body),
    });
  if (lacksIdentifier(endpoint, status, insurerId, input.body))
    throw refusalOfForeignAnswer(endpoint, status, []);
  const type = media?.mediaType;
  const format = type === undefined ? undefined : bodyFormatOf(type);
  return {
    status,
    headers: {
      ...passed,
      "cache-control": kindPolicies[endpoint.kind].cacheControl,
      ...paging,
      ...(type === undefined
        ? {}
        : { "content-type": format === "bytes" ? type : `${type}; charset=utf-8` }),
    },
    content: encodeContent(format, value),
    insurerId,
    closed: isClosed(endpoint, value),
  };
}

function encodeContent(
  format: ReturnType<typeof bodyFormatOf> | undefined,
  value: unknown,
): GatewayAnswer["content"] {
  if (format === undefined) return "";
  if (format === "text") return String(value);
  if (format !== "bytes") return JSON.stringify(value);
  return isFilePart(value) && value.content instanceof Uint8Array
    ? value.content
    : new Uint8Array();
}

function gatewayAnswerOfFile(
  endpoint: Endpoint,
  { content, mediaType }: { readonly mediaType: string; readonly content: Uint8Array },
): GatewayAnswer {
  const type = fileTypeOf(endpoint, mediaType);
  const { signature = "" } = type ?? {};
  const begins = String.fromCharCode(...content.subarray(0, signature.length));
  if (type === undefined || begins !== signature)
    throw refusalOfBadAnswer(endpoint, {
      detail: `The insurer's answer is not a file of type ${answerTypes(endpoint).join(" or ")}.`,
      received: 200,
      insurerId: null,
      isForeign: isHtml(mediaType),
    });
  return {
    status: 200,
    headers: {
      "cache-control": kindPolicies[endpoint.kind].cacheControl,
      "content-type": type.mediaType,
      "content-disposition": `attachment; filename="${fileNameOf(endpoint, type)}"`,
      "content-length": String(content.byteLength),
    },
    content,
    insurerId: null,
    closed: false,
  };
}

/** Returns an answer with its delay in milliseconds; silence if the delay exceeds the limit. */
export function applyTimeLimit(
  answer: SimulatedAnswer,
  limitMs: number,
): { readonly answer: SimulatedAnswer; readonly afterMs: number } {
  const isSilent = "silence" in answer || (answer.delayMs ?? 0) > limitMs;
  return isSilent
    ? { answer: { status: answer.status, silence: true }, afterMs: limitMs }
    : { answer, afterMs: answer.delayMs ?? 0 };
}
