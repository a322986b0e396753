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
  type Clock,
  type DialectAnswer,
  type RawAnswer,
  type RawRequest,
  rawInputOf,
  rawRequestOf,
  type SandboxDialect,
  type SandboxRecord,
  type SandboxRoute,
} from "@insurance-gateway/adapter/sandbox";
import type { CredentialContent } from "@insurance-gateway/core/auth";
import { type Endpoint, type Fault, valueAt } from "@insurance-gateway/core/contract";
import {
  type CheckedInput,
  kindPolicies,
  pageAsked,
  pagingOf,
  pathParameters,
} from "@insurance-gateway/core/runtime";
import { fewWaits, responseOf } from "./adapter-call.ts";
import { bytesIn } from "./round-trip.ts";
import type { Run } from "./run.ts";

/** A package's simulated insurer with a dialect. */
export interface SimulatedInsurer {
  readonly sandbox: AnySandbox;
  readonly dialect: SandboxDialect;
  readonly run: Run;
}

/** One endpoint of a package with an adapter and a dialect. */
export interface DialectSubject extends SimulatedInsurer {
  /** The name of the endpoint. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly adapter: Adapter;
  /** The credentials of its calls; null if they could not be had, and the insurer then asks for none. */
  readonly access: CredentialContent | null;
}

/** The differences from a usual call. */
export interface Circumstances {
  /** The answer of the endpoint's handler. Default: the sandbox's own handler answers. */
  readonly made?: MadeAnswer;
  /** The scenario of the endpoint's handler. */
  readonly scenario?: string;
  readonly access?: CredentialContent | null;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Our name for a submission. */
  readonly submissionId?: string;
  /** The insurer's records, oldest first, to which the call adds. Default: its first ones, and it keeps none. */
  readonly records?: Map<string, SandboxRecord>;
  readonly now?: () => Date;
  /** Whether the insurer asks for no credentials. */
  readonly isLetIn?: true;
}

/** The result of one call. */
export interface Carried {
  /** Null if the adapter or the sandbox threw an error. */
  readonly answer: AdapterAnswer | null;
  /** The complete document of the answer. */
  readonly document: Uint8Array | null;
  /** The requests that the insurer received. */
  readonly seen: readonly SeenRequest[];
  /** The calls that reached a handler. */
  readonly arrived: readonly Arrived[];
  /** The statuses that the insurer answered with. */
  readonly statuses: readonly number[];
  /** Violations of the contract in the request that the dialect read. */
  readonly refused: readonly Fault[];
  /** Why the call failed. */
  readonly broken: readonly string[];
}

/** A request that the insurer received. */
export interface SeenRequest {
  readonly acts: boolean;
  /** The whole request as one text: its path, its headers and its body. */
  readonly text: string;
  /** The endpoint whose handler it reached. */
  readonly handler: string | null;
  /** Whether the insurer refused its credentials. */
  readonly isTurnedAway: boolean;
}

/** A call that reached a handler, and its answer. */
export interface Arrived {
  readonly endpoint: string;
  readonly input: CheckedInput;
  readonly reference: string | undefined;
  readonly answer: DialectAnswer;
}

/** A generated answer; for a search, with the items of all pages. */
export interface MadeAnswer {
  readonly status: number;
  readonly body: unknown;
}

type Log = {
  [Name in "seen" | "arrived" | "statuses" | "refused" | "broken"]: Carried[Name][number][];
};

/** Our name for a submission: a UUID, as the gateway's. */
export const SUBMISSION = "5f0c1f2e-1d0b-4a57-9d3e-0a6b7c8d9e10";

export const now = (): Date => new Date("2026-11-21T08:00:00Z");

/**
 * Executes one call with the package's adapter. It never throws, and uses no network: the routes of the sandbox's
 * dialect answer.
 */
export async function carriedOut(
  subject: DialectSubject,
  input: CheckedInput,
  circumstances: Circumstances = {},
): Promise<Carried> {
  const { adapter, endpoint } = subject;
  const log: Log = { seen: [], arrived: [], statuses: [], refused: [], broken: [] };
  const acts = kindPolicies[endpoint.kind].actsAtInsurer;
  try {
    const context = contextOf(subject, circumstances);
    const send = (request: InsurerRequest): Promise<InsurerResponse> =>
      answered(subject, { acts: acts && request.method !== "GET", ...request }, circumstances, log);
    const answer = await adapter.call(endpoint, input, limitedSend(endpoint, send), context);
    const document = answer.type === "document" ? await bytesIn(answer.content) : null;
    return { ...log, answer, document };
  } catch (error) {
    log.broken.push(`its adapter, or its sandbox's dialect, throws ${String(error)}`);
    return { ...log, answer: null, document: null };
  }
}

/** Returns the adapter's context of a call. */
export function contextOf(
  { access: usual, endpoint, sandbox }: DialectSubject,
  circumstances: Circumstances = {},
): AdapterContext {
  const acts = kindPolicies[endpoint.kind].actsAtInsurer;
  const { access = usual, submissionId = acts ? SUBMISSION : null } = circumstances;
  return {
    submissionId,
    settings: circumstances.settings ?? sandbox.settings ?? {},
    login: access?.login ?? null,
    now: circumstances.now ?? now,
    wait: fewWaits(),
  };
}

/** Sends a request outside a call, such as a login. */
export async function asked(
  insurer: SimulatedInsurer,
  request: InsurerRequest,
  access: CredentialContent,
): Promise<InsurerResponse> {
  const log: Log = { seen: [], arrived: [], statuses: [], refused: [], broken: [] };
  return answered({ ...insurer, name: "", access }, request, {}, log);
}

type Asked = SimulatedInsurer & Pick<DialectSubject, "access" | "name">;

/** Answers a request with its route. */
async function answered(
  subject: Asked,
  request: InsurerRequest,
  circumstances: Circumstances,
  log: Log,
): Promise<InsurerResponse> {
  const { dialect } = subject;
  const { access = subject.access } = circumstances;
  const [path = "", search = ""] = request.path.split("?", 2);
  const found = routeOf(subject, request.method, path);
  const raw = rawRequestOf({
    method: request.method,
    path,
    params: found?.params ?? {},
    search,
    headers: { ...request.headers, ...access?.headers },
    bytes: request.body === undefined ? new Uint8Array() : await bytesIn(request.body),
  });
  const before = log.arrived.length;
  const refusal =
    access === null || circumstances.isLetIn
      ? null
      : (dialect.sendRefusal?.(raw, circumstances.now ?? now) ?? null);
  const answer =
    refusal ??
    (found === null ? notFound : rawAnswer(subject, found.route, raw, circumstances, log));
  if (answer === notFound)
    log.broken.push(`its sandbox's dialect has no route ${request.method} ${path}`);
  const { body = "", headers, status } = answer;
  log.statuses.push(status);
  log.seen.push({
    acts: request.acts === true,
    text: [request.path, JSON.stringify(request.headers), raw.body].join("\n"),
    handler: log.arrived[before]?.endpoint ?? null,
    isTurnedAway: refusal !== null,
  });
  return responseOf({ status, headers: { "content-type": "", ...headers }, body });
}

const notFound: RawAnswer = { status: 404 };

function rawAnswer(
  subject: Asked,
  route: SandboxRoute,
  raw: RawRequest,
  circumstances: Circumstances,
  log: Log,
): RawAnswer {
  const { sandbox } = subject;
  const { made, now: clock = now, scenario = null } = circumstances;
  const records = circumstances.records ?? recordsOf(sandbox);
  const asked = route.read(raw, clock, [...records.values()]);
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
  const isOwn = name === subject.name;
  const answer =
    isOwn && made !== undefined
      ? pageOf(endpoint, checked.value, made)
      : handled(sandbox, name, checked.value, {
          records,
          clock,
          scenario: isOwn ? scenario : null,
          reference,
        });
  const query = withOwnLists(checked.value.query, { ...input.query });
  log.arrived.push({ endpoint: name, input: { ...checked.value, query }, reference, answer });
  return route.write(answer, raw);
}

/** The first records of a simulated insurer, by their identifiers. */
export function recordsOf({ seed }: AnySandbox): Map<string, SandboxRecord> {
  return new Map(seed.map((record) => [record.id, record]));
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
  { dialect: { routes }, run }: SimulatedInsurer,
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

/** How a handler is called. */
interface Handling {
  readonly records: Map<string, SandboxRecord>;
  readonly clock: Clock;
  readonly scenario: string | null;
  readonly reference: string | undefined;
}

/** The answer of the sandbox's own handler; its records are kept. */
export function handled(
  sandbox: AnySandbox,
  name: string,
  input: CheckedInput,
  { clock = now, records = recordsOf(sandbox), reference, scenario = null }: Partial<Handling> = {},
): DialectAnswer {
  const request = { input, scenario, ...(reference === undefined ? {} : { reference }) };
  const answer = sandbox.handlers[name]?.(request, [...records.values()], clock);
  if (answer === undefined) throw new TypeError(`The sandbox has no handler for ${name}`);
  for (const record of answer.keep ?? []) records.set(record.id, record);
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
