import { createHash } from "node:crypto";
import type {
  DialectAnswer,
  InsurerProblem,
  RawAnswer,
  RawRequest,
  SandboxAnswer,
  SandboxRecord,
  SandboxRoute,
} from "@insurance-gateway/adapter/sandbox";
import { answerOf, type Endpoint } from "@insurance-gateway/core/contract";
import { bodyFormatOf } from "@insurance-gateway/core/runtime";
import type { FastifyReply } from "fastify";
import { renderIpid } from "./ipid/render.ts";

/** The answer of a simulated insurer's handler. */
type HandlerAnswer = SandboxAnswer<unknown, SandboxRecord>;

/** Sends no answer, or a raw text. No dialect can express these two. Returns null for any other answer. */
function sendSpecialAnswer(reply: FastifyReply, answer: HandlerAnswer): FastifyReply | null {
  // The connection stays open without an answer until the client's deadline or the end of the sandbox.
  if ("silence" in answer) return reply.hijack();
  if (!("text" in answer)) return null;
  reply.code(answer.status).headers(answer.headers ?? {});
  return reply.type(answer.mediaType).send(answer.text);
}

/** Sends an answer in the dialect of a simulated insurer. */
export async function sendDialect(
  reply: FastifyReply,
  endpoint: Endpoint,
  answer: HandlerAnswer,
  route: SandboxRoute,
  request: RawRequest,
): Promise<FastifyReply> {
  const sent = sendSpecialAnswer(reply, answer);
  if (sent !== null) return sent;
  const raw = route.write(await renderAnswer(answer), request);
  const isTagged = endpoint.kind === "lookup" && raw.status === 200 && raw.body !== undefined;
  return sendRaw(reply, {
    ...raw,
    headers: { ...(isTagged ? { etag: etagOf(raw.body ?? "") } : {}), ...raw.headers },
  });
}

/** Converts a handler's answer to the form that a dialect writes. A document is rendered as a PDF. */
async function renderAnswer(answer: HandlerAnswer): Promise<DialectAnswer> {
  const { headers = {}, status } = answer;
  if ("problem" in answer) return { status, headers, problem: answer.problem };
  if ("document" in answer) return { status, headers, file: await renderIpid(answer.document) };
  if ("file" in answer) {
    const { content, mediaType } = answer.file;
    return { status, headers, file: content, mediaType };
  }
  return { status, headers, body: "body" in answer ? answer.body : undefined };
}

export function sendRaw(
  reply: FastifyReply,
  { body, headers = {}, status }: RawAnswer,
): FastifyReply {
  reply.code(status).headers(headers);
  return body === undefined || typeof body === "string"
    ? reply.send(body)
    : reply.send(Buffer.from(body));
}

/** Sends an answer as the endpoint declares it. */
export async function sendDeclared(
  reply: FastifyReply,
  endpoint: Endpoint,
  answer: HandlerAnswer,
): Promise<FastifyReply> {
  const sent = sendSpecialAnswer(reply, answer);
  if (sent !== null) return sent;
  reply.code(answer.status).headers(answer.headers ?? {});
  const content = await renderAnswer(answer);
  if ("problem" in content) return refuse(reply, content.status, content.problem);
  if ("file" in content) {
    const { file, mediaType = "application/pdf" } = content;
    const document = Buffer.from(file);
    return reply.type(mediaType).header("etag", etagOf(document)).send(document);
  }
  // The answer has no body, such as a 204.
  if (content.body === undefined) return reply.send();
  const text = declaredTextType(endpoint, content.status);
  if (text !== undefined) return reply.type(`${text}; charset=utf-8`).send(String(content.body));
  const body = JSON.stringify(content.body);
  if (endpoint.kind === "lookup") reply.header("etag", etagOf(body));
  return reply.type("application/json; charset=utf-8").send(body);
}

/** Returns the media type of an answer that is declared as text, or undefined. */
function declaredTextType(endpoint: Endpoint, status: number): string | undefined {
  const types = Object.keys(answerOf(endpoint, status)?.media ?? {});
  return types.every((type) => bodyFormatOf(type) === "text") ? types[0] : undefined;
}

export function refuse(reply: FastifyReply, status: number, problem: InsurerProblem): FastifyReply {
  return reply
    .code(status)
    .type("application/problem+json")
    .send(JSON.stringify({ title: problem.code, status, ...problem }));
}

/** Returns the value of the header `etag` for a content. */
function etagOf(content: string | Uint8Array): string {
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 27)}"`;
}
