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
  type EndpointExamples,
  jsonFormOf,
  nearestExample,
  replaceIfValid,
  scalarTextsIn,
  simulatedAnswer,
} from "./simulated-answers.ts";
import { simulatedFile } from "./simulated-files.ts";
import { matchesSearch, submittedItem } from "./simulated-items.ts";
import { pageItemsOf, simulatedPage } from "./simulated-pages.ts";

/** The options of a simulation. */
export interface SimulationOptions<P extends Provider<object>> {
  /** The provider's `settings` in a gateway that uses the simulation. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * The `calls` of the package's `publishedDialect`, even if they are empty (`{}`). With them, the simulation speaks
   * the insurer's dialect. Without them, it speaks the declared contract.
   */
  readonly calls?: PublishedCalls<P>;
  /** The insurer's own interface, instead of `calls`. For SOAP, use `soapInsurer` of `./sandbox/soap`. */
  readonly dialect?: SandboxDialect;
}

/** A stored submission of a simulation. */
interface StoredSubmission extends SandboxRecord {
  /** The name of the submission's endpoint. */
  readonly endpoint: string;
  /** The answer to the submission; undefined after the resource was deleted. */
  readonly body: unknown;
  /** The body of the request, if a search must find the submission. */
  readonly sent?: unknown;
  /** The client's reference for the submission. */
  readonly reference?: string;
}

type SimulatedHandler = (
  request: SandboxRequest<CheckedInput>,
  records: readonly StoredSubmission[],
  clock: Clock,
) => SandboxAnswer<unknown, StoredSubmission>;

/**
 * Creates the simulated insurer of a provider from its declarations and examples alone. A read returns the most similar
 * example. A submission is stored. Searches, and reads of the submission's identifier, find the submission. Every
 * answer matches its schema.
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
  const taken = new Set(scalarTextsIn(examples));
  const handlers = endpoints.map(([name, endpoint]): readonly [string, AnySandboxHandler] => {
    const known = Object.values(named[name] ?? {});
    if (known.length === 0) throw new TypeError(`${provider.id} has no example of ${name}`);
    const found = endpoints.flatMap(([other, { reconcile }]) =>
      reconcile?.endpoint === name ? [other] : [],
    );
    // The types are certain, because the server validates each input, and only the handlers write records.
    return [name, handlerOf(name, endpoint, known, taken, found) as unknown as AnySandboxHandler];
  });
  return {
    // The endpoints are accessed by name, so their types do not matter.
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
  examples: EndpointExamples,
  taken: ReadonlySet<string>,
  /** The names of the submission endpoints whose results a search finds (`reconcile`). */
  found: readonly string[],
): SimulatedHandler {
  switch (endpoint.kind) {
    case "document":
      return () => ({ status: 200, file: simulatedFile(endpoint.files?.[0] ?? pdf) });
    case "search":
      return ({ input }, records) => {
        const example = nearestExample(examples, input);
        const { schema, status } = jsonFormOf(endpoint, example.response);
        const lists = examples.map(({ response }) => response);
        const [item] = pageItemsOf(pagingOf(endpoint), example.response);
        const stored = records
          .flatMap(({ body, endpoint: from, sent }) => {
            if (body === undefined) return [];
            return [found.includes(from) ? submittedItem(item, sent, body) : body];
          })
          .filter((one) => matchesSearch(one, withoutPage(pagingOf(endpoint), input)))
          .toReversed();
        const page = simulatedPage(endpoint, input, {
          schema,
          example: example.response,
          lists,
          stored,
        });
        return { status, ...page };
      };
    case "submission":
      return (request, records, clock) =>
        submissionAnswer({ name, endpoint, examples, taken, request, records, clock });
    default:
      return ({ input }, records) => {
        const { removed, stored } = findStored(endpoint, input, records);
        return removed
          ? notFoundAnswer
          : simulatedAnswer(endpoint, input, examples, stored?.body).answer;
      };
  }
}

const notFoundAnswer: SandboxAnswer<unknown, never> = {
  status: 404,
  problem: { code: "RESOURCE_NOT_FOUND", detail: "The insurer does not have it." },
};

/** Finds the newest record whose identifier is a path parameter of the call. */
function findStored(
  { path }: Endpoint,
  { params }: CheckedInput,
  records: readonly StoredSubmission[],
): { readonly removed: boolean; readonly stored: StoredSubmission | undefined } {
  const values = pathParameters(path).map((name) => String(params[name]));
  const found = records.findLast(({ id }) => values.includes(id));
  return { removed: found !== undefined && found.body === undefined, stored: found };
}

/** The values from which the answer to a submission is created. */
interface SimulatedSubmission {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly examples: EndpointExamples;
  /** The values in the examples. A new identifier must differ from these values. */
  readonly taken: ReadonlySet<string>;
  readonly request: SandboxRequest<CheckedInput>;
  readonly records: readonly StoredSubmission[];
  readonly clock: Clock;
}

function submissionAnswer(
  submitting: SimulatedSubmission,
): SandboxAnswer<unknown, StoredSubmission> {
  const { clock, endpoint, examples, name, records, request } = submitting;
  const { input, reference } = request;
  const first = reference === undefined ? undefined : earlierSubmission(submitting, reference);
  if (first !== undefined) return { ...jsonStatusOf(endpoint, first.body), body: first.body };
  const { removed, stored } = findStored(endpoint, input, records);
  if (removed) return notFoundAnswer;
  const { answer, body } = simulatedAnswer(endpoint, input, examples, stored?.body);
  const id = resourceIdIn(endpoint, input);
  if (endpoint.method === "DELETE" && id !== undefined)
    return { ...answer, keep: [{ id, endpoint: name, body: undefined }] };
  if (body === undefined) return answer;
  const { schema, status } = jsonFormOf(endpoint, body);
  const { createdAt } = endpoint.reconcile ?? {};
  const dated =
    createdAt === undefined
      ? body
      : replaceIfValid(schema, body, createdAt, formatWholeSecond(clock()));
  const own = createsAtInsurer(endpoint)
    ? withNewIdentifier(submitting, schema, dated)
    : { id: replacedId(schema, stored) ?? id ?? `${name}-${records.length + 1}`, body: dated };
  const sent = endpoint.reconcile === undefined ? undefined : input.body;
  const kept = reference === undefined ? { ...own, sent } : { ...own, sent, reference };
  return { status, body: own.body, keep: [{ ...kept, endpoint: name }] };
}

/** Returns a time without fractions of a second, because insurers with local times have no fractions. */
function formatWholeSecond(now: Date): string {
  return `${now.toISOString().slice(0, "YYYY-MM-DDTHH:mm:ss".length)}.000Z`;
}

/** Returns an earlier submission with the same reference, if the insurer recognises references. */
function earlierSubmission(
  { endpoint, name, records }: SimulatedSubmission,
  reference: string,
): StoredSubmission | undefined {
  if (endpoint.idempotency !== "native") return undefined;
  return records.find((record) => record.endpoint === name && record.reference === reference);
}

function jsonStatusOf(endpoint: Endpoint, body: unknown): { readonly status: number } {
  return { status: jsonFormOf(endpoint, body).status };
}

/** Returns the identifier of the stored answer to replace, if the stored answer matches the new answer's schema. */
function replacedId(
  schema: Schema<unknown> | undefined,
  stored: StoredSubmission | undefined,
): string | undefined {
  const isSame = schema !== undefined && stored !== undefined && check(schema, stored.body).valid;
  return isSame ? stored.id : undefined;
}

/** Returns the identifier in a path, if the path ends with a parameter. */
function resourceIdIn({ path }: Endpoint, { params }: CheckedInput): string | undefined {
  const last = pathParameters(path).at(-1);
  return last !== undefined && path.endsWith(`{${last}}`) ? String(params[last]) : undefined;
}

/** Returns an answer with a new, unique identifier. */
function withNewIdentifier(
  { endpoint, records, taken }: SimulatedSubmission,
  schema: Schema<unknown> | undefined,
  body: unknown,
): { readonly id: string; readonly body: unknown } {
  const { at: insurerId } = identifierOf(endpoint) ?? { at: "" };
  const given = valueAt(body, insurerId);
  const isTaken = (id: string): boolean => taken.has(id) || records.some((one) => one.id === id);
  for (let count = records.length + 1; count <= records.length + MAX_IDENTIFIER_TRIES; count++)
    for (const id of possibleIdentifiers(given, count)) {
      const own = replaceIfValid(schema, body, insurerId, id);
      if (valueAt(own, insurerId) === id && !isTaken(String(id)))
        return { id: String(id), body: own };
    }
  return { id: String(given), body };
}

/** Maximum number of identifiers to try, because the examples may already use some. */
const MAX_IDENTIFIER_TRIES = 100;

/**
 * Returns possible identifiers in the form of an example's identifier: with a higher number, or with other last digits.
 */
function possibleIdentifiers(given: unknown, count: number): readonly (string | number)[] {
  if (typeof given === "number") return [given + count];
  const text = String(given);
  const [, start = "", digits = ""] = /^(.*?)(\d*)$/s.exec(text) ?? [];
  const next = String(BigInt(digits === "" ? 0 : digits) + BigInt(count));
  return [
    ...(digits === "" ? [] : [start + next.padStart(digits.length, "0")]),
    `${text}-${count}`,
    // These identifiers keep the length of the example, as a UUID must.
    text.slice(0, Math.max(0, text.length - UUID_NODE_DIGITS)) +
      next.padStart(UUID_NODE_DIGITS, "0"),
    text.slice(0, Math.max(0, text.length - next.length)) + next,
  ];
}

/** Number of digits in the last group of a UUID (RFC 9562, section 4). */
const UUID_NODE_DIGITS = 12;
