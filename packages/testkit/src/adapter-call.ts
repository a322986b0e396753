import { buffer } from "node:stream/consumers";
import {
  type Adapter,
  type AdapterAnswer,
  type AdapterContext,
  type InsurerRequest,
  type InsurerResponse,
  limitedSend,
  textWithDocuments,
} from "@insurance-gateway/adapter";
import type { Endpoint } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";

/** The insurer's answer to one request. */
export interface ScriptedAnswer {
  /** The HTTP status. Default: 200. */
  readonly status?: number;
  /** The headers, by names in lower case. Default `content-type`: JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The requests that an adapter sent, and its result. */
export interface AdapterCall {
  readonly sent: readonly InsurerRequest[];
  readonly answer: AdapterAnswer;
}

/**
 * Executes one call of an adapter without a network. Each request of the adapter receives the next scripted answer.
 * @throws TypeError if the adapter sends more requests than there are answers; PageRequestsError if the adapter sends
 * more than three requests for one page of a search
 */
export async function callAdapter(
  adapter: Adapter,
  endpoint: Endpoint,
  input: Partial<CheckedInput>,
  answers: readonly ScriptedAnswer[],
  context: Partial<AdapterContext> = {},
): Promise<AdapterCall> {
  const sent: InsurerRequest[] = [];
  const answer = await adapter.call(
    endpoint,
    { params: {}, query: {}, headers: {}, body: undefined, ...input },
    limitedSend(endpoint, async (request) => {
      const next = answers[sent.length];
      sent.push(request);
      if (next === undefined)
        throw new TypeError(`The script has no answer to ${request.method} ${request.path}`);
      return responseOf(next);
    }),
    {
      submissionId: null,
      settings: {},
      login: null,
      now: () => new Date(0),
      wait: fewWaits(),
      ...context,
    },
  );
  return { sent, answer };
}

/**
 * Returns an adapter's `wait` function, which takes no time, and reports after 20 calls that the time limit has passed.
 */
export function fewWaits(): AdapterContext["wait"] {
  let left = 20;
  return async () => {
    left -= 1;
    return left >= 0;
  };
}

/** Converts a scripted answer to an answer for an adapter. */
export function responseOf({ body, headers = {}, status = 200 }: ScriptedAnswer): InsurerResponse {
  const bytes = Buffer.from(body);
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const named: Record<string, string> & { "content-type": string } = {
    "content-type": "application/json",
    ...Object.fromEntries(lowered),
  };
  const [mediaType = ""] = named["content-type"].split(";");
  const charset = /charset="?([^";\s]+)/i.exec(named["content-type"])?.[1];
  type CharsetIn = Parameters<InsurerResponse["text"]>[0];
  const decoding = (charsetIn: CharsetIn): ((bytes: Uint8Array) => string) => {
    const found = charset ?? charsetIn?.(bytes.toString("latin1")) ?? "utf-8";
    return (encoded) => new TextDecoder(found, { fatal: true }).decode(encoded);
  };
  return {
    status,
    headers: named,
    mediaType: mediaType.trim().toLowerCase(),
    text: async (charsetIn) => decoding(charsetIn)(bytes),
    textWithDocuments: async (charsetIn) =>
      textWithDocuments(Buffer.from(bytes), decoding(charsetIn)),
    bytes: async () => bytes,
    async *stream() {
      yield bytes;
    },
  };
}

/** Returns all bytes of a request's body. */
export async function bytesIn(
  content: Exclude<InsurerRequest["body"], undefined>,
): Promise<Uint8Array<ArrayBuffer>> {
  const isWhole = typeof content === "string" || content instanceof Uint8Array;
  return new Uint8Array(isWhole ? Buffer.from(content) : await buffer(content));
}
