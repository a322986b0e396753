import type { Endpoint } from "@insurance-gateway/core/contract";
import type { CheckedInput } from "@insurance-gateway/core/runtime";
import {
  type Adapter,
  type AdapterAnswer,
  type AdapterContext,
  type DecodedBody,
  type InsurerRequest,
  type InsurerResponse,
  textWithDocuments,
} from "../../src/index.ts";

/** An insurer's answer in UTF-8. Default: an empty JSON object with the status 200. */
export interface InsurerAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly mediaType?: string;
  readonly text?: string;
}

/** The result of a call without a network, and the messages of the call. */
export interface OfflineCall {
  readonly answer: AdapterAnswer;
  readonly sent: readonly InsurerRequest[];
  /** The decoded answers that the adapter reported. */
  readonly decoded: readonly DecodedBody[];
}

/**
 * Calls an endpoint with an adapter, without a network. The testkit has a similar function, but depends on this package.
 * @param insurer - the answer to each request, or a function that returns the answer to a request
 */
export async function callOffline(
  adapter: Adapter,
  endpoint: Endpoint,
  input: Partial<CheckedInput>,
  insurer: InsurerAnswer | ((request: InsurerRequest) => InsurerAnswer) = {},
  context: Partial<AdapterContext> = {},
): Promise<OfflineCall> {
  const sent: InsurerRequest[] = [];
  const decoded: DecodedBody[] = [];
  const answer = await adapter.call(
    endpoint,
    { params: {}, query: {}, headers: {}, body: undefined, ...input },
    async (request) => {
      sent.push(request);
      return insurerResponse(typeof insurer === "function" ? insurer(request) : insurer);
    },
    { ...callContext, decoded: (body) => decoded.push(body), ...context },
  );
  return { answer, sent, decoded };
}

/** The context of a call that is not a submission, at an insurer without settings. */
export const callContext: AdapterContext = {
  submissionId: null,
  settings: {},
  login: null,
  now: () => new Date(0),
  wait: async () => true,
};

/** Converts an insurer's answer to the answer that an adapter receives. */
export function insurerResponse({
  headers = {},
  mediaType = "application/json",
  status = 200,
  text = "{}",
}: InsurerAnswer): InsurerResponse {
  const bytes = new TextEncoder().encode(text);
  return {
    status,
    headers,
    mediaType,
    text: async () => text,
    textWithDocuments: async () =>
      textWithDocuments(bytes, (part) => new TextDecoder().decode(part)),
    bytes: async () => bytes,
    async *stream() {
      yield bytes;
    },
  };
}
