import type { UserLogin } from "@insurance-gateway/core/auth";
import {
  type Endpoint,
  type FailureRow,
  type Provider,
  valueAt,
} from "@insurance-gateway/core/contract";
import { TransportError } from "@insurance-gateway/core/transport";
import type { Adapter, AdapterAnswer, Send } from "./adapter.ts";
import type { CallSource, DialectCall, FaultMapping, RequestResult } from "./answer-mapping.ts";
import { type Charset, encodeJson } from "./charset.ts";
import {
  callFinder,
  callSourceOf,
  createSpeaks,
  executeCall,
  writeRequestPart,
} from "./dialect.ts";
import { parseJson } from "./json.ts";
import {
  type JsonCall,
  type JsonCallContext,
  type JsonEnvelope,
  type JsonReferenceQuery,
  jsonMediaTypeOf,
  sendJsonRequest,
} from "./json-request.ts";
import type { Mapping } from "./mapping.ts";
import { pollUntilFinished } from "./polling.ts";

/** The description of an insurer's JSON dialect. */
export interface JsonDialect<P extends Provider<object>> {
  /** The meanings of the insurer's error answers. The `failures` of endpoint and provider take precedence. */
  readonly failures: readonly FailureRow[];
  /** The fixed fields of every body, and the field that marks an answer as a success. */
  readonly envelope?: JsonEnvelope;
  readonly faults?: FaultMapping;
  /**
   * The charset of requests, and of answers whose header names no charset. Default: UTF-8. In a request, a character
   * that the charset does not have becomes a JSON escape.
   */
  readonly charset?: Charset;
  readonly login?: JsonLogin;
  /** The insurer's request and answer for each endpoint, by the endpoint's name. */
  readonly calls: { readonly [Name in keyof P["endpoints"]]: JsonCall };
}

/** The login call, which returns a token for a user name and a password. */
export interface JsonLogin {
  readonly path: string;
  /** The mapping rows that read `/username` and `/password`. */
  readonly body: Mapping;
  /** The JSON Pointer of the token, which is sent as `Authorization: Bearer`. */
  readonly token: string;
  /** The JSON Pointer of the token's lifetime in seconds. */
  readonly expiresIn?: string;
}

/** Creates the adapter of a JSON dialect. */
export function jsonDialect<P extends Provider<object>>(
  provider: P,
  dialect: JsonDialect<P>,
): Adapter {
  const callOf = callFinder<JsonCall>(provider, dialect.calls);
  for (const endpoint of Object.values<Endpoint>({ ...provider.endpoints })) {
    const isPage = endpoint.kind === "search" && endpoint.paging === undefined;
    if (callOf(endpoint).byReference !== undefined && !isPage)
      throw new TypeError(
        `The adapter of ${provider.id}: only a search by \`start\` and \`limit\` may have \`byReference\``,
      );
  }
  const { envelope, login } = dialect;
  const mark = typeof envelope?.success === "string" ? envelope.success : envelope?.success?.at;
  const beside = mark === undefined ? [] : [{ at: mark, required: true }];
  return {
    name: provider.id,
    failures: dialect.failures,
    speaks: createSpeaks(provider),
    findsByReference: (search) => callOf(search).byReference !== undefined,
    call(endpoint, input, send, context) {
      const call = callOf(endpoint);
      const { byReference, poll } = call;
      const source = callSourceOf(input, context);
      const requestContext: JsonCallContext = { dialect, call, endpoint, send };
      if (byReference !== undefined && source.submissionId !== null)
        return findByReference(byReference, {
          endpoint,
          rows: { ...(call.finish && { finish: call.finish }) },
          source,
          form: {},
          decoded: undefined,
          ask: (asked) =>
            sendJsonRequest(requestContext, { method: "GET", path: byReference.path }, asked),
        });
      return executeCall({
        endpoint,
        rows: call,
        source,
        form: {},
        decoded: context.decoded,
        beside,
        ask: async (asked) => {
          const first = await sendJsonRequest(requestContext, call, asked);
          if (poll === undefined) return first;
          const query = (source: CallSource): Promise<RequestResult> =>
            sendJsonRequest(requestContext, poll, source);
          return pollUntilFinished(first, poll, {
            endpoint,
            source: asked,
            wait: context.wait,
            query,
          });
        },
      });
    },
    ...(login === undefined
      ? {}
      : {
          login: (credentials, send) => logIn(login, dialect.charset ?? "utf-8", credentials, send),
        }),
  };
}

/** Returns a page with the single item that a submission created. */
async function findByReference(
  { item }: JsonReferenceQuery,
  call: DialectCall,
): Promise<AdapterAnswer> {
  const answer = await executeCall({ ...call, rows: { ...call.rows, value: item } });
  return answer.type === "value"
    ? { ...answer, value: { items: [answer.value], start: 1, limit: 1, total: 1 } }
    : answer;
}

async function logIn(
  { body, expiresIn, path, token }: JsonLogin,
  charset: Charset,
  credentials: UserLogin,
  send: Send,
): ReturnType<NonNullable<Adapter["login"]>> {
  const response = await send({
    method: "POST",
    path,
    headers: { accept: "application/json", "content-type": jsonMediaTypeOf(charset) },
    body: encodeJson(JSON.stringify(writeRequestPart(body, credentials)), charset),
  });
  const content = parseJson(await response.text(() => charset))?.value;
  const found = valueAt(content, token);
  const seconds = expiresIn === undefined ? null : Number(valueAt(content, expiresIn));
  if ([400, 401, 403].includes(response.status)) return { headers: null, expiresInSeconds: null };
  if (response.status !== 200 || typeof found !== "string" || found === "")
    throw new TransportError("body", "unreadable");
  return {
    headers: { authorization: `Bearer ${found}` },
    expiresInSeconds: Number.isNaN(seconds) ? null : seconds,
  };
}
