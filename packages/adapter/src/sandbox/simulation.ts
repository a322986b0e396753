import {
  check,
  type Endpoint,
  type Example,
  type Provider,
  pdf,
  type Schema,
  valueAt,
} from "@insurance-gateway/core/contract";
import {
  type CheckedInput,
  createsAtInsurer,
  identifierOf,
  pagingOf,
  pathParameters,
  withoutPage,
} from "@insurance-gateway/core/runtime";
import type { PublishedCalls } from "../published-dialect.ts";
import type { SandboxDialect } from "./dialect.ts";
import { publishedInsurer } from "./published.ts";
import type { Clock, SandboxRecord } from "./records.ts";
import type { AnySandbox, AnySandboxHandler, SandboxAnswer, SandboxRequest } from "./sandbox.ts";
import {
  answered,
  jsonOf,
  type KnownExamples,
  nearest,
  textsIn,
  withFitting,
} from "./simulated-answers.ts";
import { fileOf } from "./simulated-files.ts";
import { isAskedFor, submittedItem } from "./simulated-items.ts";
import { itemsOf, pageOf } from "./simulated-pages.ts";

/** The options of a simulation. */
export interface SimulationOptions<P extends Provider<object>> {
  /** The provider's `settings` for a gateway that uses it. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * The `calls` of the package's `publishedDialect`, even if they are empty (`{}`). The simulation then speaks the
   * insurer's dialect. Without them, it speaks the declared contract.
   */
  readonly calls?: PublishedCalls<P>;
  /** The insurer's own interface instead of `calls`: `soapInsurer` of `./sandbox/soap` for SOAP. */
  readonly dialect?: SandboxDialect;
}

/** A simulation's record of a submission. */
interface Stored extends SandboxRecord {
  /** The name of the submission. */
  readonly endpoint: string;
  /** Its answer; undefined after the resource was deleted. */
  readonly body: unknown;
  /** The body of its request, if a search must find it. */
  readonly sent?: unknown;
  /** The client's own name for it. */
  readonly reference?: string;
}

type Handle = (
  request: SandboxRequest<CheckedInput>,
  records: readonly Stored[],
  clock: Clock,
) => SandboxAnswer<unknown, Stored>;

/**
 * Creates the simulated insurer of a provider only from its declarations and examples. A read returns the nearest
 * example. A submission is stored; searches, and reads with its identifier, find it. Every answer matches its schema.
 * @param examples - the exports of the package's `./examples`
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
    // The server validates each input, and the handlers write the records.
    const found = endpoints.flatMap(([other, { reconcile }]) =>
      reconcile?.endpoint === name ? [other] : [],
    );
    return [name, handlerOf(name, endpoint, known, taken, found) as unknown as AnySandboxHandler];
  });
  return {
    // The endpoints are accessed by name, whatever their types.
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
  /** The submissions that a search finds (`reconcile`). */
  found: readonly string[],
): Handle {
  switch (endpoint.kind) {
    case "document":
      return () => ({ status: 200, file: fileOf(endpoint.files?.[0] ?? pdf) });
    case "search":
      return ({ input }, records) => {
        const example = nearest(examples, input);
        const { schema, status } = jsonOf(endpoint, example.response);
        const lists = examples.map(({ response }) => response);
        const [item] = itemsOf(pagingOf(endpoint), example.response);
        const stored = records
          .flatMap(({ body, endpoint: from, sent }) => {
            if (body === undefined) return [];
            return [found.includes(from) ? submittedItem(item, sent, body) : body];
          })
          .filter((one) => isAskedFor(one, withoutPage(pagingOf(endpoint), input)))
          .toReversed();
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

/** Finds the record of a path by its last parameter that is an identifier. */
function storedFor(
  { path }: Endpoint,
  { params }: CheckedInput,
  records: readonly Stored[],
): { readonly removed: boolean; readonly stored: Stored | undefined } {
  const values = pathParameters(path).map((name) => String(params[name]));
  const found = records.findLast(({ id }) => values.includes(id));
  return { removed: found !== undefined && found.body === undefined, stored: found };
}

/** The inputs for the answer of a submission. */
interface Submitting {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly examples: KnownExamples;
  /** Values of the examples that no new identifier may have. */
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
    createdAt === undefined ? body : withFitting(schema, body, createdAt, wholeSecond(clock()));
  const own = createsAtInsurer(endpoint)
    ? withOwnIdentifier(submitting, schema, dated)
    : { id: updatedId(schema, stored) ?? id ?? `${name}-${records.length + 1}`, body: dated };
  const sent = endpoint.reconcile === undefined ? undefined : input.body;
  const kept = reference === undefined ? { ...own, sent } : { ...own, sent, reference };
  return { status, body: own.body, keep: [{ ...kept, endpoint: name }] };
}

/** Insurers that write their local time have no fractions of a second. */
function wholeSecond(now: Date): string {
  return `${now.toISOString().slice(0, "YYYY-MM-DDTHH:mm:ss".length)}.000Z`;
}

/** The record of a submission with the same client's name, if the insurer recognises such names. */
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

/** The identifier of the stored answer that this one replaces, if it has the same form. */
function updatedId(
  schema: Schema<unknown> | undefined,
  stored: Stored | undefined,
): string | undefined {
  const isSame = schema !== undefined && stored !== undefined && check(schema, stored.body).valid;
  return isSame ? stored.id : undefined;
}

/** The identifier in a path, if it ends with a parameter. */
function resourceOf({ path }: Endpoint, { params }: CheckedInput): string | undefined {
  const last = pathParameters(path).at(-1);
  return last !== undefined && path.endsWith(`{${last}}`) ? String(params[last]) : undefined;
}

/** Returns the answer with a new, unique identifier. */
function withOwnIdentifier(
  { endpoint, records, taken }: Submitting,
  schema: Schema<unknown> | undefined,
  body: unknown,
): { readonly id: string; readonly body: unknown } {
  const { at: insurerId } = identifierOf(endpoint) ?? { at: "" };
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

/** Skip identifiers that the examples already have. */
const MOST_IDENTIFIERS = 100;

/**
 * Generates identifiers of the same form as an example's: the next numbers, or the next values of its last characters.
 */
function identifiersAfter(given: unknown, count: number): readonly (string | number)[] {
  if (typeof given === "number") return [given + count];
  const text = String(given);
  const [, start = "", digits = ""] = /^(.*?)(\d*)$/s.exec(text) ?? [];
  const next = String(BigInt(digits === "" ? 0 : digits) + BigInt(count));
  return [
    ...(digits === "" ? [] : [start + next.padStart(digits.length, "0")]),
    `${text}-${count}`,
    // A form with a fixed length, such as a UUID.
    text.slice(0, Math.max(0, text.length - UUID_NODE)) + next.padStart(UUID_NODE, "0"),
    text.slice(0, Math.max(0, text.length - next.length)) + next,
  ];
}

/** The last group of a UUID has 12 digits (RFC 9562, section 4). */
const UUID_NODE = 12;
