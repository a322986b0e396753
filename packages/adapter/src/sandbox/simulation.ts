import {
  type CheckedInput,
  check,
  createsAtInsurer,
  type Endpoint,
  type Example,
  type Provider,
  pathParameters,
  pdf,
  type Schema,
  valueAt,
} from "@insurance-gateway/core/contract";
import type { PublishedCalls } from "../published-dialect.ts";
import type { SandboxDialect } from "./dialect.ts";
import { publishedInsurer } from "./published.ts";
import type {
  AnySandbox,
  AnySandboxHandler,
  Clock,
  SandboxAnswer,
  SandboxRecord,
  SandboxRequest,
} from "./sandbox.ts";
import {
  answered,
  jsonOf,
  type KnownExamples,
  nearest,
  textsIn,
  withFitting,
} from "./simulated-answers.ts";
import { fileOf } from "./simulated-files.ts";
import { pageOf } from "./simulated-pages.ts";

/** What a simulation has beside declarations and examples. */
export interface SimulationOptions<P extends Provider<object>> {
  /** The provider's `settings` that a gateway uses before it. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * The `calls` of the package's `publishedDialect`, also where there are none (`{}`): the simulation then speaks as the
   * insurer does. Without them it speaks the declared contract.
   */
  readonly calls?: PublishedCalls<P>;
  /** The insurer's own interface in the place of `calls`: `soapInsurer` of `./sandbox/soap` for one that speaks SOAP. */
  readonly dialect?: SandboxDialect;
}

/** What a simulation keeps of a submission. */
interface Stored extends SandboxRecord {
  /** The name of the submission. */
  readonly endpoint: string;
  /** What it answered; undefined after it was removed. */
  readonly body: unknown;
  /** The sender's own name for it. */
  readonly reference?: string;
}

type Handle = (
  request: SandboxRequest<CheckedInput>,
  records: readonly Stored[],
  clock: Clock,
) => SandboxAnswer<unknown, Stored>;

/**
 * Makes the simulated insurer of a provider from its declarations and examples alone. A read answers with the nearest
 * example; a submission is stored, and found by searches and by reads with its identifier. Every answer fits its schema.
 * @param examples - what the package's `./examples` exports
 * @throws TypeError for an endpoint without an example
 */
export function simulated<P extends Provider<object>>(
  provider: P,
  examples: object,
  {
    calls,
    dialect = calls && publishedInsurer(provider, calls),
    settings,
  }: SimulationOptions<P> = {},
): AnySandbox {
  const named: Readonly<Record<string, Readonly<Record<string, Example<Endpoint>>> | undefined>> = {
    ...examples,
  };
  const endpoints: readonly (readonly [string, Endpoint])[] = Object.entries(provider.endpoints);
  const taken = new Set(textsIn(examples));
  const handlers = endpoints.map(([name, endpoint]): readonly [string, AnySandboxHandler] => {
    const known = Object.values(named[name] ?? {});
    if (known.length === 0) throw new TypeError(`${provider.id} has no example of ${name}`);
    // The server checks each input before a handler gets it, and the records are what the handlers keep.
    return [name, handlerOf(name, endpoint, known, taken) as unknown as AnySandboxHandler];
  });
  return {
    // The endpoints are looked at by name, whatever their types.
    provider: provider as unknown as Provider,
    seed: [],
    scenarios: [],
    ...(settings === undefined ? {} : { settings }),
    handlers: Object.fromEntries(handlers),
    ...(dialect === undefined ? {} : { dialect }),
  };
}

function handlerOf(
  name: string,
  endpoint: Endpoint,
  examples: KnownExamples,
  taken: ReadonlySet<string>,
): Handle {
  switch (endpoint.kind) {
    case "document":
      return () => ({ status: 200, file: fileOf(endpoint.files?.[0] ?? pdf) });
    case "search":
      return ({ input }, records) => {
        const example = nearest(examples, input);
        const { schema, status } = jsonOf(endpoint, example.response);
        const stored = records
          .flatMap(({ body }) => (body === undefined ? [] : [body]))
          .toReversed();
        const lists = examples.map(({ response }) => response);
        const page = pageOf(endpoint, input, { schema, example: example.response, lists, stored });
        return { status, ...page };
      };
    case "submission":
      return (request, records, clock) =>
        submitted({ name, endpoint, examples, taken, request, records, clock });
    default:
      return ({ input }, records) => {
        const { removed, stored } = storedFor(endpoint, input, records);
        return removed ? gone : answered(endpoint, input, examples, stored?.body).answer;
      };
  }
}

const gone: SandboxAnswer<unknown, never> = {
  status: 404,
  problem: { code: "RESOURCE_NOT_FOUND", detail: "The insurer does not have it." },
};

/** The record that a path names, by the last of its parameters that is an identifier. */
function storedFor(
  { path }: Endpoint,
  { params }: CheckedInput,
  records: readonly Stored[],
): { readonly removed: boolean; readonly stored: Stored | undefined } {
  const values = pathParameters(path).map((name) => String(params[name]));
  const found = records.findLast(({ id }) => values.includes(id));
  return { removed: found !== undefined && found.body === undefined, stored: found };
}

/** Everything a submission is answered from. */
interface Submitting {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly examples: KnownExamples;
  /** What no new identifier may be: it has another place in the examples. */
  readonly taken: ReadonlySet<string>;
  readonly request: SandboxRequest<CheckedInput>;
  readonly records: readonly Stored[];
  readonly clock: Clock;
}

function submitted(submitting: Submitting): SandboxAnswer<unknown, Stored> {
  const { clock, endpoint, examples, name, records, request } = submitting;
  const { input, reference } = request;
  const first = reference === undefined ? undefined : sentBefore(submitting, reference);
  if (first !== undefined) return { ...jsonStatus(endpoint, first.body), body: first.body };
  const { removed, stored } = storedFor(endpoint, input, records);
  if (removed) return gone;
  const { answer, body } = answered(endpoint, input, examples, stored?.body);
  const id = resourceOf(endpoint, input);
  if (endpoint.method === "DELETE" && id !== undefined)
    return { ...answer, keep: [{ id, endpoint: name, body: undefined }] };
  if (body === undefined) return answer;
  const { schema, status } = jsonOf(endpoint, body);
  const { createdAt } = endpoint.reconcile ?? {};
  const dated =
    createdAt === undefined ? body : withFitting(schema, body, createdAt, clock().toISOString());
  const own = createsAtInsurer(endpoint)
    ? withOwnIdentifier(submitting, schema, dated)
    : { id: updatedId(schema, stored) ?? id ?? `${name}-${records.length + 1}`, body: dated };
  const kept = reference === undefined ? own : { ...own, reference };
  return { status, body: own.body, keep: [{ ...kept, endpoint: name }] };
}

/** What an insurer that recognises the sender's name for a submission has stored of it. */
function sentBefore(
  { endpoint, name, records }: Submitting,
  reference: string,
): Stored | undefined {
  if (endpoint.idempotency !== "native") return undefined;
  return records.find((record) => record.endpoint === name && record.reference === reference);
}

function jsonStatus(endpoint: Endpoint, body: unknown): { readonly status: number } {
  return { status: jsonOf(endpoint, body).status };
}

/** The identifier of the stored answer that this one replaces: it has the same form. */
function updatedId(
  schema: Schema<unknown> | undefined,
  stored: Stored | undefined,
): string | undefined {
  const isSame = schema !== undefined && stored !== undefined && check(schema, stored.body).valid;
  return isSame ? stored.id : undefined;
}

/** The identifier of what a path names, if it ends with a parameter. */
function resourceOf({ path }: Endpoint, { params }: CheckedInput): string | undefined {
  const last = pathParameters(path).at(-1);
  return last !== undefined && path.endsWith(`{${last}}`) ? String(params[last]) : undefined;
}

/** The answer with an identifier that nothing else has. */
function withOwnIdentifier(
  { endpoint: { insurerId = "" }, records, taken }: Submitting,
  schema: Schema<unknown> | undefined,
  body: unknown,
): { readonly id: string; readonly body: unknown } {
  const given = valueAt(body, insurerId);
  const isTaken = (id: string): boolean => taken.has(id) || records.some((one) => one.id === id);
  for (let count = records.length + 1; count <= records.length + MOST_IDENTIFIERS; count++)
    for (const id of identifiersAfter(given, count)) {
      const own = withFitting(schema, body, insurerId, id);
      if (valueAt(own, insurerId) === id && !isTaken(String(id)))
        return { id: String(id), body: own };
    }
  return { id: String(given), body };
}

/** Examples may have the next identifiers already. */
const MOST_IDENTIFIERS = 100;

/** Identifiers of the same form as that of an example: the next numbers, or the next of its last characters. */
function identifiersAfter(given: unknown, count: number): readonly (string | number)[] {
  if (typeof given === "number") return [given + count];
  const text = String(given);
  const [, start = "", digits = ""] = /^(.*?)(\d*)$/s.exec(text) ?? [];
  const next = String(BigInt(digits === "" ? 0 : digits) + BigInt(count));
  return [
    ...(digits === "" ? [] : [start + next.padStart(digits.length, "0")]),
    `${text}-${count}`,
    // Of a form that has a length, such as a UUID.
    text.slice(0, Math.max(0, text.length - UUID_NODE)) + next.padStart(UUID_NODE, "0"),
    text.slice(0, Math.max(0, text.length - next.length)) + next,
  ];
}

/** The last group of a UUID has 12 digits (RFC 9562, section 4). */
const UUID_NODE = 12;
