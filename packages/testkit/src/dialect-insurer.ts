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
  type SandboxRecord,
  type SandboxRoute,
} from "@insurance-gateway/adapter/sandbox";
import type { CredentialContent } from "@insurance-gateway/core/auth";
import type { Endpoint, Fault } from "@insurance-gateway/core/contract";
import { type CheckedInput, kindPolicies, pathParameters } from "@insurance-gateway/core/runtime";
import { bytesIn, fewWaits, responseOf } from "./adapter-call.ts";
import type { RunCache } from "./run.ts";
import {
  answerOfHandler,
  type GeneratedAnswer,
  now,
  pageOf,
  recordsOf,
} from "./sandbox-answers.ts";

/** The simulated insurer of a package, with its own dialect. */
export interface SimulatedInsurer {
  readonly sandbox: AnySandbox;
  readonly dialect: SandboxDialect;
  readonly run: RunCache;
}

/** One endpoint of a package with an adapter and a dialect. */
export interface DialectSubject extends SimulatedInsurer {
  /** The name of the endpoint. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly adapter: Adapter;
  /** The credentials of the endpoint's calls; null if they are not available, and then the insurer requires none. */
  readonly access: CredentialContent | null;
}

/** The changes to a normal call: another answer, scenario, time, reference or other credentials. */
export interface CallChanges {
  /** The answer that replaces the answer of the sandbox's handler. */
  readonly made?: GeneratedAnswer;
  /** The scenario for the endpoint's handler. */
  readonly scenario?: string;
  readonly access?: CredentialContent | null;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The gateway's reference for a submission. */
  readonly submissionId?: string;
  /** The insurer's records, oldest first; the call adds records. Default: the initial records, in a new map. */
  readonly records?: Map<string, SandboxRecord>;
  readonly now?: () => Date;
  /** True if the insurer requires no credentials. */
  readonly isWithoutCredentials?: true;
}

/** The result of one call. */
export interface CallResult {
  /** Null if the adapter or the sandbox threw an error. */
  readonly answer: AdapterAnswer | null;
  /** The complete document of the answer. */
  readonly document: Uint8Array | null;
  /** The requests that the insurer received. */
  readonly seen: readonly SeenRequest[];
  /** The calls that reached a handler. */
  readonly arrived: readonly HandledCall[];
  /** The statuses of the insurer's answers. */
  readonly statuses: readonly number[];
  /** The faults of calls that the dialect could read, but that violate the contract. */
  readonly refused: readonly Fault[];
  /** The reasons why the call failed. */
  readonly broken: readonly string[];
}

/** A request that the insurer received. */
export interface SeenRequest {
  readonly acts: boolean;
  /** The whole request as one text: its path, its headers and its body. */
  readonly text: string;
  /** The endpoint whose handler the request reached. */
  readonly handler: string | null;
  /** True if the insurer refused the request's credentials. */
  readonly isAccessRefused: boolean;
}

/** A call that reached a handler, and its answer. */
export interface HandledCall {
  readonly endpoint: string;
  readonly input: CheckedInput;
  readonly reference: string | undefined;
  readonly answer: DialectAnswer;
}

type Log = {
  [Name in "seen" | "arrived" | "statuses" | "refused" | "broken"]: CallResult[Name][number][];
};

/** The gateway's reference for a submission: a UUID. */
export const SUBMISSION_ID = "5f0c1f2e-1d0b-4a57-9d3e-0a6b7c8d9e10";

/** Executes one call with the package's adapter and the sandbox's dialect, without a network. Never throws. */
export async function executeCall(
  subject: DialectSubject,
  input: CheckedInput,
  changes: CallChanges = {},
): Promise<CallResult> {
  const { adapter, endpoint } = subject;
  const log: Log = { seen: [], arrived: [], statuses: [], refused: [], broken: [] };
  const acts = kindPolicies[endpoint.kind].actsAtInsurer;
  try {
    const context = contextOf(subject, changes);
    const send = (request: InsurerRequest): Promise<InsurerResponse> =>
      answerRequest(subject, { acts: acts && request.method !== "GET", ...request }, changes, log);
    const answer = await adapter.call(endpoint, input, limitedSend(endpoint, send), context);
    const document = answer.type === "document" ? await bytesIn(answer.content) : null;
    return { ...log, answer, document };
  } catch (error) {
    log.broken.push(`its adapter, or its sandbox's dialect, throws ${String(error)}`);
    return { ...log, answer: null, document: null };
  }
}

/** Returns the context that the adapter receives for a call. */
export function contextOf(
  { access: usual, endpoint, sandbox }: DialectSubject,
  changes: CallChanges = {},
): AdapterContext {
  const acts = kindPolicies[endpoint.kind].actsAtInsurer;
  const { access = usual, submissionId = acts ? SUBMISSION_ID : null } = changes;
  return {
    submissionId,
    settings: changes.settings ?? sandbox.settings ?? {},
    login: access?.login ?? null,
    now: changes.now ?? now,
    wait: fewWaits(),
  };
}

/** Sends a request that belongs to no call, such as a login, and returns the answer. */
export async function sendAlone(
  insurer: SimulatedInsurer,
  request: InsurerRequest,
  access: CredentialContent,
): Promise<InsurerResponse> {
  const log: Log = { seen: [], arrived: [], statuses: [], refused: [], broken: [] };
  return answerRequest({ ...insurer, name: "", access }, request, {}, log);
}

type CalledInsurer = SimulatedInsurer & Pick<DialectSubject, "access" | "name">;

/** Answers a request by its route of the sandbox's dialect. */
async function answerRequest(
  subject: CalledInsurer,
  request: InsurerRequest,
  changes: CallChanges,
  log: Log,
): Promise<InsurerResponse> {
  const { dialect } = subject;
  const { access = subject.access } = changes;
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
    access === null || changes.isWithoutCredentials
      ? null
      : (dialect.refuse?.(raw, changes.now ?? now) ?? null);
  const answer =
    refusal ?? (found === null ? notFound : rawAnswer(subject, found.route, raw, changes, log));
  if (answer === notFound)
    log.broken.push(`its sandbox's dialect has no route ${request.method} ${path}`);
  const { body = "", headers, status } = answer;
  log.statuses.push(status);
  log.seen.push({
    acts: request.acts === true,
    text: [request.path, JSON.stringify(request.headers), raw.body].join("\n"),
    handler: log.arrived[before]?.endpoint ?? null,
    isAccessRefused: refusal !== null,
  });
  return responseOf({ status, headers: { "content-type": "", ...headers }, body });
}

const notFound: RawAnswer = { status: 404 };

function rawAnswer(
  subject: CalledInsurer,
  route: SandboxRoute,
  raw: RawRequest,
  changes: CallChanges,
  log: Log,
): RawAnswer {
  const { sandbox } = subject;
  const { made, now: clock = now, scenario = null } = changes;
  const records = changes.records ?? recordsOf(sandbox);
  const parsed = route.read(raw, clock, [...records.values()]);
  if ("answer" in parsed) return parsed.answer;
  const { endpoint: name, input, reference } = parsed.call;
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
      : answerOfHandler(sandbox, name, checked.value, {
          records,
          clock,
          scenario: isOwn ? scenario : null,
          reference,
        });
  const query = withOwnLists(checked.value.query, { ...input.query });
  log.arrived.push({ endpoint: name, input: { ...checked.value, query }, reference, answer });
  return route.write(answer, raw);
}

/**
 * Returns the checked query with the lists as the dialect read them. An item with a comma must remain one item,
 * although a declared query joins items with commas.
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

/** Returns the most specific route for a request. */
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
