import { createHash } from "node:crypto";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { inputChecker } from "@insurance-gateway/core/contract";
import type {
  AnySandbox,
  Clock,
  InsurerProblem,
  SandboxAnswer,
  SandboxRecord,
} from "@insurance-gateway/core/sandbox";
import { scenarioOf } from "@insurance-gateway/core/sandbox";
import fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { renderIpid } from "./ipid/render.ts";
import type { Records } from "./records.ts";

/** What the stand-in insurers are made of. */
export interface SandboxServerOptions {
  readonly sandboxes: readonly AnySandbox[];
  readonly records: Records;
  readonly clock: Clock;
}

/** Serves stand-in insurers, each under its provider's id: `/provider-d/applications`. */
export function createSandboxServer(options: SandboxServerOptions): FastifyInstance {
  const server = fastify({ forceCloseConnections: true, exposeHeadRoutes: false });
  for (const sandbox of options.sandboxes)
    for (const [name, endpoint] of Object.entries(sandbox.provider.endpoints))
      server.route({
        method: endpoint.method,
        url: `/${sandbox.provider.id}${endpoint.path.replaceAll(/\{([^}]+)\}/g, ":$1")}`,
        handler: handlerOf(sandbox, name, endpoint, options),
      });
  return server;
}

type Handler = Parameters<FastifyInstance["route"]>[0]["handler"];

function handlerOf(
  sandbox: AnySandbox,
  name: string,
  endpoint: Endpoint,
  { records, clock }: SandboxServerOptions,
): Handler {
  const check = inputChecker(endpoint);
  const handle = sandbox.handlers[name];
  if (handle === undefined)
    throw new TypeError(`The sandbox of ${sandbox.provider.id} has no handler for ${name}`);
  const known = sandbox.scenarios.map((scenario) => scenario.name);

  return async (request, reply) => {
    const [, search = ""] = request.url.split("?", 2);
    // fastify fills in the parameters of the route it has just matched.
    const params = request.params as Readonly<Record<string, string>>;
    const checked = check({ params, search, body: request.body });
    if (!checked.valid)
      return refuse(reply, 400, {
        code: "VALIDATION_FAILED",
        detail: "The request breaks the contract.",
        errors: checked.faults,
      });
    const header = request.headers["x-sandbox-scenario"]?.toString();
    if (header !== undefined && !known.includes(header))
      return refuse(reply, 400, {
        code: "INVALID_REQUEST",
        detail: `This insurer knows the scenarios ${known.join(", ") || "(none)"}.`,
      });
    const scenario = scenarioOf(sandbox.scenarios, name, checked.value, header);
    const kept = records.of(sandbox.provider.id, sandbox.seed);
    const answer = handle({ input: checked.value, scenario }, kept, clock);
    for (const record of answer.keep ?? []) records.keep(sandbox.provider.id, record);
    if (answer.delayMs !== undefined) await pause(answer.delayMs);
    return send(reply, endpoint, answer);
  };
}

async function send(
  reply: FastifyReply,
  endpoint: Endpoint,
  answer: SandboxAnswer<unknown, SandboxRecord>,
): Promise<FastifyReply> {
  // The connection stays open without a word, until the caller's deadline or the end of the sandbox.
  if ("silence" in answer) return reply.hijack();
  reply.code(answer.status).headers(answer.headers ?? {});
  if ("problem" in answer) return refuse(reply, answer.status, answer.problem);
  if ("text" in answer) return reply.type(answer.mediaType).send(answer.text);
  if ("document" in answer) {
    const document = Buffer.from(await renderIpid(answer.document));
    return reply.type("application/pdf").header("etag", tagOf(document)).send(document);
  }
  const body = JSON.stringify(answer.body);
  if (endpoint.kind === "lookup") reply.header("etag", tagOf(body));
  return reply.type("application/json; charset=utf-8").send(body);
}

function refuse(reply: FastifyReply, status: number, problem: InsurerProblem): FastifyReply {
  return reply
    .code(status)
    .type("application/problem+json")
    .send(JSON.stringify({ title: problem.code, status, ...problem }));
}

function tagOf(content: string | Uint8Array): string {
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 27)}"`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
