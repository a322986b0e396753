import type {
  AnySandbox,
  Clock,
  DialectAnswer,
  InsurerProblem,
  RawRequest,
  SandboxAnswer,
  SandboxDialect,
  SandboxRecord,
  SandboxRoute,
} from "@insurance-gateway/adapter/sandbox";
import { rawInputOf, rawRequestOf } from "@insurance-gateway/adapter/sandbox";
import type { Endpoint } from "@insurance-gateway/core/contract";
import {
  bodyOf,
  type DeclaredBody,
  inputChecker,
  namedParameters,
  type RawInput,
  readDeclaredBody,
  recordedAnswer,
  routerPattern,
  scenarioOf,
} from "@insurance-gateway/core/runtime";
import fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import type { RecordStore } from "./records.ts";
import { refuse, sendDeclared, sendDialect, sendRaw } from "./send-answers.ts";

/** Options of the server that runs the simulated insurers. */
export interface SandboxServerOptions {
  readonly sandboxes: readonly AnySandbox[];
  readonly records: RecordStore;
  readonly clock: Clock;
}

/**
 * Creates the server of simulated insurers, each under its provider's id: `/provider-d/applications`. An insurer with a
 * dialect answers only the routes of the dialect; an insurer without a dialect uses the declared contract.
 */
export function createSandboxServer(options: SandboxServerOptions): FastifyInstance {
  const server = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
  });
  server.addHook("onSend", async ({ raw }, reply) => {
    // Close the connection if the body is incomplete. Otherwise Node would read the rest after the answer.
    if (!raw.complete) reply.header("connection", "close");
  });
  for (const sandbox of options.sandboxes) {
    const answers = createAnswerCall(sandbox, options);
    if (sandbox.dialect === undefined) addDeclaredRoutes(server, sandbox, answers);
    else addDialectRoutes(server, sandbox, sandbox.dialect, answers, options);
  }
  return server;
}

/** Longest route parameter. The gateway already limits the length of parameters. */
const MAX_PARAMETER_LENGTH = 65_536;

/** Maximum size of a body in bytes: the largest file that an endpoint may declare, in base64. */
const MAX_BODY_BYTES = 30 * 1024 * 1024;

/** Function that returns the answer to a call: the handler's answer, or a refusal. */
type AnswerCall = (
  name: string,
  input: RawInput,
  scenario: string | undefined,
  reference?: string,
) => Promise<SandboxAnswer<unknown, SandboxRecord>>;

/** Returns a function that validates a call, calls its handler, and stores the handler's records. */
function createAnswerCall(
  sandbox: AnySandbox,
  { clock, records }: SandboxServerOptions,
): AnswerCall {
  const { handlers, provider, recorded = [], scenarios, seed } = sandbox;
  const endpoints = new Map(
    Object.entries(provider.endpoints).map(([name, endpoint]) => {
      const handle = handlers[name];
      if (handle === undefined)
        throw new TypeError(`The sandbox of ${provider.id} has no handler for ${name}`);
      return [name, { check: inputChecker(endpoint), declared: endpoint, handle }];
    }),
  );
  const known = [...scenarios, ...recorded].map((scenario) => scenario.name);
  return async (name, input, asked, reference) => {
    const endpoint = endpoints.get(name);
    if (endpoint === undefined) throw new TypeError(`${provider.id} has no endpoint ${name}`);
    const checked = endpoint.check(input);
    if (!checked.valid)
      return refusalAnswer({
        code: "VALIDATION_FAILED",
        detail: "The request does not match the contract.",
        errors: checked.faults,
      });
    if (asked !== undefined && !known.includes(asked))
      return refusalAnswer({
        code: "INVALID_REQUEST",
        detail: `This insurer knows the scenarios ${known.join(", ") || "(none)"}.`,
      });
    const scenario = scenarioOf(scenarios, name, checked.value, asked);
    const played = recorded.find((one) => one.name === scenario && one.endpoint === name);
    if (played !== undefined)
      return recordedAnswer(endpoint.declared, checked.value, played, clock);
    const kept = records.of(provider.id, seed);
    const answer = endpoint.handle(
      { input: checked.value, scenario, ...(reference === undefined ? {} : { reference }) },
      kept,
      clock,
    );
    for (const record of answer.keep ?? []) records.keep(provider.id, record);
    if (answer.delayMs !== undefined) await pause(answer.delayMs);
    return answer;
  };
}

/** Returns the answer of an insurer that refuses a call. */
function refusalAnswer(problem: InsurerProblem): SandboxAnswer<never, never> {
  return { status: 400, problem };
}

function addDeclaredRoutes(
  server: FastifyInstance,
  { provider }: AnySandbox,
  answers: AnswerCall,
): void {
  addBytesScope(server, (scope) => {
    for (const [name, endpoint] of Object.entries(provider.endpoints))
      scope.route({
        method: endpoint.method,
        url: routerPattern(`/${provider.id}${endpoint.path}`),
        handler: async (request, reply) => {
          const { body, headers, params: found, search } = requestPartsOf(request);
          const params = namedParameters(endpoint.path, found);
          const sent = await bodyOfRequest(endpoint, headers["content-type"] ?? "", body);
          if ("problem" in sent) return refuse(reply, sent.status, sent.problem);
          const input = { params, search, headers, ...sent };
          const answer = await answers(name, input, headers[SCENARIO_HEADER]);
          return sendDeclared(reply, endpoint, answer);
        },
      });
  });
}

/** Adds routes that receive a body of any media type as bytes. */
function addBytesScope(server: FastifyInstance, add: (scope: FastifyInstance) => void): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: MAX_BODY_BYTES },
      (_, body, done) => done(null, body),
    );
    add(scope);
  });
}

type InsurerRefusal = Extract<DialectAnswer, { readonly problem: InsurerProblem }>;

/** Returns the body that the declaration describes, or the reason why the body is invalid. */
async function bodyOfRequest(
  endpoint: Endpoint,
  contentType: string,
  body: unknown,
): Promise<DeclaredBody | { readonly body: undefined } | InsurerRefusal> {
  const media = bodyOf(endpoint)?.media;
  if (media === undefined || !(body instanceof Uint8Array)) return { body: undefined };
  try {
    const read = await readDeclaredBody(endpoint, contentType, new Uint8Array(body));
    if (Object.hasOwn(media, read.mediaType)) return read;
    const detail = `The body must have the type ${Object.keys(media).join(" or ")}.`;
    return { status: 415, problem: { code: "UNSUPPORTED_MEDIA_TYPE", detail } };
  } catch {
    const detail = "The body must have the type that its header names.";
    return { status: 400, problem: { code: "INVALID_REQUEST", detail } };
  }
}

const SCENARIO_HEADER = "x-sandbox-scenario";

function addDialectRoutes(
  server: FastifyInstance,
  sandbox: AnySandbox,
  dialect: SandboxDialect,
  answers: AnswerCall,
  { clock, records }: SandboxServerOptions,
): void {
  addBytesScope(server, (scope) => {
    for (const route of dialect.routes)
      scope.route({
        method: route.method,
        url: routerPattern(`/${sandbox.provider.id}${route.path}`),
        handler: async (request, reply) => {
          const raw = rawRequest(sandbox, route, request);
          const refused = dialect.refuse?.(raw, clock) ?? null;
          const asked =
            refused === null
              ? route.read(raw, clock, records.of(sandbox.provider.id, sandbox.seed))
              : { answer: refused };
          if ("answer" in asked) return sendRaw(reply, asked.answer);
          const { endpoint, input, reference } = asked.call;
          const declared = sandbox.provider.endpoints[endpoint];
          if (declared === undefined)
            throw new TypeError(`${sandbox.provider.id} has no endpoint ${endpoint}`);
          const checked = rawInputOf(declared, input);
          const answer = await answers(endpoint, checked, raw.headers[SCENARIO_HEADER], reference);
          return sendDialect(reply, declared, answer, route, raw);
        },
      });
  });
}

/** Returns the parts of a request that a simulated insurer reads. */
function requestPartsOf({ body, headers, params, url }: FastifyRequest): {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  readonly search: string;
} {
  const [, search = ""] = url.split("?", 2);
  return {
    body,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ),
    // fastify sets the parameters of the matched route.
    params: params as Readonly<Record<string, string>>,
    search,
  };
}

function rawRequest(
  { provider }: AnySandbox,
  route: SandboxRoute,
  request: FastifyRequest,
): RawRequest {
  const { body, headers, params: found, search } = requestPartsOf(request);
  const [path = ""] = request.url.split("?", 1);
  return rawRequestOf({
    method: request.method,
    path: path.slice(provider.id.length + 1),
    params: namedParameters(route.path, found),
    search,
    headers,
    bytes: body instanceof Uint8Array ? body : new Uint8Array(),
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
