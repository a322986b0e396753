import {
  type Adapter,
  type AdapterAnswer,
  type AdapterContext,
  type InsurerRequest,
  type InsurerResponse,
  limitedSend,
} from "@insurance-gateway/adapter";
import {
  type AnySandbox,
  type DialectAnswer,
  type RawAnswer,
  type RawRequest,
  rawInputOf,
  rawRequestOf,
  type SandboxDialect,
  type SandboxRoute,
} from "@insurance-gateway/adapter/sandbox";
import {
  type CheckedInput,
  type Endpoint,
  type Fault,
  kindPolicies,
  pageAsked,
  pagingOf,
  pathParameters,
  valueAt,
} from "@insurance-gateway/core/contract";
import { responseOf } from "./adapter-call.ts";
import { bytesIn } from "./round-trip.ts";
import type { Run } from "./run.ts";

/** One endpoint of a package with an adapter and a dialect. */
export interface DialectSubject {
  /** The name of the endpoint. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly adapter: Adapter;
  readonly sandbox: AnySandbox;
  readonly dialect: SandboxDialect;
  readonly run: Run;
}

/** The result of one call. */
export interface Carried {
  /** Null if the adapter or the sandbox threw an error. */
  readonly answer: AdapterAnswer | null;
  /** The complete document of the answer. */
  readonly document: Uint8Array | null;
  /** The calls that reached a handler. */
  readonly arrived: readonly Arrived[];
  /** The statuses that the insurer answered with. */
  readonly statuses: readonly number[];
  /** Violations of the contract in the request that the dialect read. */
  readonly refused: readonly Fault[];
  /** Why the call failed. */
  readonly broken: readonly string[];
}

/** A call that reached a handler, and its answer. */
export interface Arrived {
  readonly endpoint: string;
  readonly input: CheckedInput;
  readonly answer: DialectAnswer;
}

/** A generated answer; for a search, with the items of all pages. */
export interface MadeAnswer {
  readonly status: number;
  readonly body: unknown;
}

type Log = { [Name in "arrived" | "statuses" | "refused" | "broken"]: Carried[Name][number][] };

const now = (): Date => new Date("2026-11-21T08:00:00Z");

/**
 * Executes one call with the package's adapter. It never throws, and uses no network: the routes of the sandbox's
 * dialect answer. They do not require credentials, which the gateway would add.
 * @param made - the answer of the endpoint's handler; null for the sandbox's own handler
 */
export async function carriedOut(
  subject: DialectSubject,
  input: CheckedInput,
  made: MadeAnswer | null,
): Promise<Carried> {
  const { adapter, dialect, endpoint, sandbox } = subject;
  const log: Log = { arrived: [], statuses: [], refused: [], broken: [] };
  try {
    const context = {
      submissionId: kindPolicies[endpoint.kind].actsAtInsurer ? "submission" : null,
      settings: sandbox.settings ?? {},
      login: messageLogin(dialect),
      now,
      // No time passes.
      wait: async () => true,
    };
    const send = (request: InsurerRequest): Promise<InsurerResponse> =>
      answered(subject, request, made, log);
    const answer = await adapter.call(endpoint, input, limitedSend(endpoint, send), context);
    const document = answer.type === "document" ? await bytesIn(answer.content) : null;
    return { ...log, answer, document };
  } catch (error) {
    log.broken.push(`its adapter, or its sandbox's dialect, throws ${String(error)}`);
    return { ...log, answer: null, document: null };
  }
}

/** The user name and password that the simulated insurer expects in messages. */
function messageLogin({ credentials = [] }: SandboxDialect): AdapterContext["login"] {
  for (const credential of credentials) if (credential.type === "message") return credential;
  return null;
}

/** Answers a request with its route. */
async function answered(
  subject: DialectSubject,
  request: InsurerRequest,
  made: MadeAnswer | null,
  log: Log,
): Promise<InsurerResponse> {
  const [path = "", search = ""] = request.path.split("?", 2);
  const found = routeOf(subject, request.method, path);
  if (found === null) {
    log.broken.push(`its sandbox's dialect has no route ${request.method} ${path}`);
    return responseOf({ status: 404, body: "" });
  }
  const { params, route } = found;
  const raw = rawRequestOf({
    method: request.method,
    path,
    params,
    search,
    headers: request.headers ?? {},
    bytes: request.body === undefined ? new Uint8Array() : await bytesIn(request.body),
  });
  const { body = "", headers, status } = rawAnswer(subject, route, raw, made, log);
  log.statuses.push(status);
  return responseOf({ status, headers: { "content-type": "", ...headers }, body });
}

function rawAnswer(
  subject: DialectSubject,
  route: SandboxRoute,
  raw: RawRequest,
  made: MadeAnswer | null,
  log: Log,
): RawAnswer {
  const { sandbox } = subject;
  const asked = route.read(raw, now, sandbox.seed);
  if ("answer" in asked) return asked.answer;
  const { endpoint: name, input, reference } = asked.call;
  const endpoint = sandbox.provider.endpoints[name];
  if (endpoint === undefined) throw new TypeError(`${sandbox.provider.id} has no endpoint ${name}`);
  const checked = subject.run.checkerOf(endpoint)(rawInputOf(endpoint, input));
  if (!checked.valid) {
    log.refused.push(...checked.faults);
    const problem = {
      code: "VALIDATION_FAILED",
      detail: "The request does not match the contract.",
    };
    return route.write({ status: 400, problem: { ...problem, errors: checked.faults } }, raw);
  }
  const isMade = made !== null && name === subject.name;
  const answer = isMade
    ? pageOf(endpoint, checked.value, made)
    : handled(sandbox, name, checked.value, reference);
  const query = withOwnLists(checked.value.query, { ...input.query });
  log.arrived.push({ endpoint: name, input: { ...checked.value, query }, answer });
  return route.write(answer, raw);
}

/**
 * The request that the dialect read. An item with a comma must stay one item, although a declared query joins items
 * with commas.
 */
function withOwnLists(
  checked: CheckedInput["query"],
  read: Readonly<Record<string, unknown>>,
): CheckedInput["query"] {
  return Object.fromEntries(
    Object.entries(checked).map(([name, value]) => {
      const own = read[name];
      const isOther = Array.isArray(own) && Array.isArray(value) && own.length !== value.length;
      return [name, isOther ? own : value];
    }),
  );
}

/** The most specific route of a request. */
function routeOf(
  { dialect: { routes }, run }: DialectSubject,
  method: string,
  path: string,
): { readonly route: SandboxRoute; readonly params: RawRequest["params"] } | null {
  const found = routes.flatMap((route) => {
    const params = route.method === method ? run.pathReaderOf(route.path)(path) : null;
    return params === null ? [] : [{ route, params }];
  });
  const ordered = found.toSorted(
    (one, other) => pathParameters(one.route.path).length - pathParameters(other.route.path).length,
  );
  return ordered[0] ?? null;
}

/** For a search, the requested page. */
function pageOf(
  endpoint: Endpoint,
  input: CheckedInput,
  { body, status }: MadeAnswer,
): DialectAnswer {
  if (endpoint.kind !== "search") return { status, body };
  const { position, size } = pageAsked(pagingOf(endpoint), input);
  const items: unknown = valueAt(body, "/items");
  const all = Array.isArray(items) ? items : [];
  const start = Number(position);
  const page = all.slice(start - 1, start - 1 + size);
  return { status, body: { items: page, start, limit: size, total: all.length } };
}

/** A document of the sandbox that is not drawn: a minimal PDF. */
const DOCUMENT = Buffer.concat([
  Buffer.from("%PDF-1.7\n"),
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  Buffer.from("\n%%EOF\n"),
]);

/** The answer of the sandbox's own handler without a scenario. */
export function handled(
  sandbox: AnySandbox,
  name: string,
  input: CheckedInput,
  reference?: string,
): DialectAnswer {
  const request = { input, scenario: null, ...(reference === undefined ? {} : { reference }) };
  const answer = sandbox.handlers[name]?.(request, sandbox.seed, now);
  if (answer === undefined) throw new TypeError(`The sandbox has no handler for ${name}`);
  const { headers = {}, status } = answer;
  if ("problem" in answer) return { status, headers, problem: answer.problem };
  if ("document" in answer) return { status, headers, file: DOCUMENT };
  if ("file" in answer) {
    const { content, mediaType } = answer.file;
    return { status, headers, file: content, mediaType };
  }
  if ("body" in answer) return { status, headers, body: answer.body };
  // No answer and broken answers are scenarios, which no dialect can express.
  const problem = { code: "PROVIDER_UNAVAILABLE", detail: "The insurer does not answer." };
  return { status: 503, headers, problem };
}
