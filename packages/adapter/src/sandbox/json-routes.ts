import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import { encodeJson } from "../charset.ts";
import type { JsonDialect } from "../json-dialect.ts";
import type { JsonCall, JsonRequest } from "../json-request.ts";
import type { Mapping } from "../mapping.ts";
import { jsonBody, type RawAnswer, type RawRequest, type SandboxRoute } from "./dialect.ts";
import {
  decodeTicket,
  prefixRows,
  type Refuse,
  readCallByRows,
  readTicket,
  refusePages,
  unreadableRequestProblem,
  writeAnswerByRows,
} from "./rows.ts";

/**
 * Creates the routes of a simulated JSON insurer from the mapping rows of the package's adapter, a `jsonDialect`. The
 * adapter and the simulation then share a mistake in the rows: only the insurer's real messages can reveal the mistake.
 * Write the routes of searches with `pages` by hand.
 * @param refuse - writes a refusal with the insurer's own codes
 */
export function jsonRoutes<P extends Provider<object>>(
  provider: P,
  dialect: JsonDialect<P>,
  refuse: Refuse,
): readonly SandboxRoute[] {
  const calls: Readonly<Record<string, JsonCall>> = dialect.calls;
  const success = dialect.envelope?.success;
  const envelope = typeof success === "string" ? { at: success, success: [true] } : success;
  const json = jsonIn(dialect.charset);
  const refusal: WriteRefusal = (problem) => {
    const { content, status } = refuse(problem);
    return json(status, content);
  };
  return Object.entries<Endpoint>({ ...provider.endpoints }).flatMap(([name, endpoint]) => {
    const call = calls[name];
    if (call === undefined) return [];
    refusePages(name, call, endpoint);
    const rows = requestRowsOf(call);
    const own: SandboxRoute = {
      ...routeAddressOf(call),
      read(request) {
        const found = readCallByRows(name, rows, requestPartsOf(request));
        return found === null ? { answer: refusal(unreadableRequestProblem) } : { call: found };
      },
      write(answer) {
        if ("file" in answer && call.isFile === true)
          return {
            status: 200,
            headers: { "content-type": answer.mediaType ?? "application/pdf" },
            body: answer.file,
          };
        const written = writeAnswerByRows(call, answer, envelope);
        if (written !== null) return json(written.status, written.content, written.headers);
        return refusal("problem" in answer ? answer.problem : unreadableRequestProblem);
      },
    };
    const { poll } = call;
    if (poll === undefined) return [own];
    const pollRows = requestRowsOf(poll);
    const query: SandboxRoute = {
      ...routeAddressOf(poll),
      read(request) {
        const result = decodeTicket(readTicket(pollRows, requestPartsOf(request)));
        return { answer: result === null ? refusal(unreadableRequestProblem) : json(200, result) };
      },
      write: () => refusal(unreadableRequestProblem),
    };
    return [own, query];
  });
}

type WriteRefusal = (problem: Parameters<Refuse>[0]) => RawAnswer;

/** A JSON Pointer in braces, in a path of the dialect. */
const POINTER_PATTERN = /\{([^}]+)\}/g;

function routeAddressOf({ method, path }: JsonRequest): Pick<SandboxRoute, "method" | "path"> {
  let position = 0;
  return { method, path: path.replaceAll(POINTER_PATTERN, () => `{p${position++}}`) };
}

/** Returns the mapping rows of all parts of a request, without the fixed fields of the envelope in a body. */
function requestRowsOf({ body, headers, path, query }: JsonRequest): Mapping {
  const pointers = [...path.matchAll(POINTER_PATTERN)].map(([, pointer = ""]) => pointer);
  return [
    ...pointers.map((pointer, position) => [pointer, `/params/p${position}`] as const),
    ...prefixRows("query", query),
    ...prefixRows("headers", headers),
    ...prefixRows("body", body),
  ];
}

function requestPartsOf(request: RawRequest): object {
  const { headers, params, query } = request;
  return { params, query: Object.fromEntries(query), headers, body: jsonBody(request) };
}

function jsonIn(
  charset: JsonDialect<Provider<object>>["charset"] = "utf-8",
): (status: number, content: unknown, headers?: Readonly<Record<string, string>>) => RawAnswer {
  return (status, content, headers = {}) => ({
    status,
    headers: { "content-type": `application/json; charset=${charset}`, ...headers },
    body: encodeJson(JSON.stringify(content ?? {}), charset),
  });
}
