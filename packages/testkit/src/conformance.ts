import type { Adapter } from "@insurance-gateway/adapter";
import type { AnySandbox } from "@insurance-gateway/adapter/sandbox";
import {
  answerOf,
  type Checked,
  check,
  type Endpoint,
  type Example,
  jsonAnswerOf,
  type Provider,
} from "@insurance-gateway/core/contract";
import {
  answersOf,
  type CheckedInput,
  encodeHeaders,
  encodeQuery,
  isEmptyAnswer,
  providerFaults,
  type RawInput,
  rowFaults,
} from "@insurance-gateway/core/runtime";
import { patternFaults } from "@insurance-gateway/reference/patterns";
import { declarationFaults } from "./declaration-faults.ts";
import { echoFaults } from "./echo-faults.ts";
import { withoutUnproven } from "./proof.ts";
import type { InsurerRefusal } from "./refusal-faults.ts";
import { roundTripFaults } from "./round-trip.ts";
import { newRunCache, type RunCache } from "./run.ts";
import { now } from "./sandbox-answers.ts";
import { submissionFaults } from "./submission-faults.ts";
import { wireFaults } from "./wire-faults.ts";

/** A provider package under test. */
export interface ConformanceSubject {
  /** The name of the package's folder. */
  readonly id: string;
  /** The provider. Its endpoints are accessed by name, regardless of their types. */
  readonly provider: Provider<object>;
  /** The exports of `./examples`. */
  readonly examples: object;
  readonly sandbox: AnySandbox;
  /** The package's own adapter, if its sandbox has a dialect. */
  readonly adapter?: Adapter;
  /** Error messages of the insurer, for example from its manual, that test the rows of the adapter's `failures`. */
  readonly refusals?: readonly InsurerRefusal[];
  /** Reasons why the package cannot prove a declaration, by the key that the fault of the declaration shows. */
  readonly unproven?: Readonly<Record<string, string>>;
}

/** An example, with the request as the gateway's check returns it. */
type CheckedExample = readonly [request: Checked<CheckedInput>, example: Example<Endpoint>];

/**
 * Checks the rules for every provider. Each endpoint must have examples and a sandbox handler, and no other name may
 * have examples or a handler. Declarations must not contradict themselves or change values, and no pattern may take
 * more than linear time. Examples must match their schemas, and the sandbox must answer them as declared. Generated
 * values must survive a round trip, also through the package's own adapter. A created application must be found again
 * and be created only once. Each row of `failures`, each setting and each credential must have an effect.
 * @returns each fault as one line
 */
export async function conformanceFaults(subject: ConformanceSubject): Promise<readonly string[]> {
  const { adapter, id, provider, sandbox, unproven } = subject;
  const { dialect } = sandbox;
  const endpoints = Object.entries<Endpoint>({ ...provider.endpoints });
  const names = endpoints.map(([name]) => name);
  const examples = new Map(
    Object.entries<Readonly<Record<string, Example<Endpoint>>>>({ ...subject.examples }),
  );
  const withoutRequest = [...examples].flatMap(([name, named]) =>
    Object.entries(named)
      // A package in JavaScript may have omitted the request.
      .filter(([, { request }]) => typeof request !== "object")
      .map(
        ([title]) =>
          `${name}, ${title}: has no \`request\`; an example of a call without input has \`request: {}\``,
      ),
  );
  if (withoutRequest.length > 0) return withoutRequest;
  const siblings = Object.fromEntries(endpoints);
  const run = newRunCache();
  const known = new Map(
    names.map((name) => {
      const own = Object.values(examples.get(name) ?? {});
      const requests = own.map(({ request }) => request);
      return [name, { requests, responses: own.map(({ response }) => response) }] as const;
    }),
  );
  const trips: string[] = [];
  // Endpoints are checked in sequence, so that the memory for the values of one endpoint is free before the next.
  for (const [name, endpoint] of endpoints) {
    const values = known.get(name) ?? { requests: [], responses: [] };
    const faults = await roundTripFaults(endpoint, siblings, values, run);
    trips.push(...faults.map((fault) => `${name}: ${fault}`));
  }
  const wire =
    dialect === undefined || adapter === undefined
      ? []
      : await wireFaults({ ...subject, adapter, dialect, siblings, known, run });
  const faults = [
    ...providerFaults(provider),
    ...patternFaults(provider),
    ...rowFaults(provider, adapter?.failures ?? []).map((fault) => `the adapter: ${fault}`),
    ...(provider.id === id ? [] : [`the provider's id is ${provider.id}, and its folder ${id}`]),
    ...differences("example", names, [...examples.keys()]),
    ...differences("sandbox handler", names, Object.keys(sandbox.handlers)),
    ...endpoints.flatMap(([name, endpoint]) => {
      const checked = Object.values(examples.get(name) ?? {}).map(
        (example): CheckedExample => [run.checkerOf(endpoint)(asSent(endpoint, example)), example],
      );
      return [
        ...declarationFaults(endpoint, siblings, run),
        ...submissionFaults(
          name,
          endpoint,
          Object.values(siblings),
          answersIn(name, checked, sandbox),
        ),
        ...echoFaults(endpoint, checked),
      ].map((fault) => `${name}: ${fault}`);
    }),
    ...endpoints.flatMap(([name, endpoint]) =>
      Object.entries(examples.get(name) ?? {}).flatMap(([title, example]) =>
        exampleFaults(name, endpoint, example, { sandbox, run }).map(
          (fault) => `${name}, ${title}: ${fault}`,
        ),
      ),
    ),
    ...trips,
    ...wire,
    ...settingsFaults(subject),
    ...(dialect !== undefined && adapter === undefined
      ? [
          "its sandbox has a dialect: give the package's `adapter`, so that its round trip can be made",
        ]
      : []),
  ];
  return withoutUnproven(faults, unproven);
}

/** Finds differences between the sandbox's settings and the schema of the provider's settings. */
function settingsFaults({ provider, sandbox }: ConformanceSubject): readonly string[] {
  if (provider.settings === undefined) return [];
  return faultsOf("the sandbox's settings", check(provider.settings, sandbox.settings ?? {}));
}

function differences(
  what: string,
  expected: readonly string[],
  found: readonly string[],
): readonly string[] {
  return [
    ...expected.filter((name) => !found.includes(name)).map((name) => `${name} has no ${what}`),
    ...found
      .filter((name) => !expected.includes(name))
      .map((name) => `${name} is not an endpoint; remove its ${what}`),
  ];
}

function exampleFaults(
  name: string,
  endpoint: Endpoint,
  example: Example<Endpoint>,
  { run, sandbox }: { readonly run: RunCache; readonly sandbox: AnySandbox },
): readonly string[] {
  const request = run.checkerOf(endpoint)(asSent(endpoint, example));
  if (!request.valid) return faultsOf("its request", request);
  return [
    ...(endpoint.kind === "document" ? [] : responseFaults(endpoint, example.response)),
    ...sandboxFaults(name, endpoint, request.value, sandbox),
  ];
}

/** Returns the answers of the examples and of the sandbox, including its scenarios. */
function answersIn(
  name: string,
  examples: readonly CheckedExample[],
  { handlers, scenarios, seed }: AnySandbox,
): readonly unknown[] {
  const own = scenarios.flatMap(({ endpoint, name: scenario }) =>
    endpoint === name ? [scenario] : [],
  );
  return examples.flatMap(([request, { response }]) => {
    if (!request.valid) return [response];
    const played = [null, ...own].map((scenario) =>
      handlers[name]?.({ input: request.value, scenario }, seed, now),
    );
    return [
      response,
      ...played.flatMap((answer) => (answer && "body" in answer ? [answer.body] : [])),
    ];
  });
}

function responseFaults(endpoint: Endpoint, response: unknown): readonly string[] {
  const checked = answersOf(endpoint).flatMap(([, answer]) => {
    const schema = jsonAnswerOf(answer);
    return schema === undefined ? [] : [check(schema, response)];
  });
  const accepted = checked.some(({ valid }) => valid);
  return accepted ? [] : checked.flatMap((one) => faultsOf("its response", one));
}

function sandboxFaults(
  name: string,
  endpoint: Endpoint,
  input: unknown,
  sandbox: AnySandbox,
): readonly string[] {
  const answer = sandbox.handlers[name]?.({ input, scenario: null }, sandbox.seed, now);
  if (answer === undefined) return [];
  const isFile = "document" in answer || "file" in answer;
  if (endpoint.kind === "document")
    return isFile ? [] : ["the sandbox must answer with a document"];
  const declared = answerOf(endpoint, answer.status);
  if (declared !== undefined && isEmptyAnswer(declared) && "body" in answer)
    return answer.body === undefined ? [] : [`the sandbox answers ${answer.status} with a body`];
  const schema = declared && (jsonAnswerOf(declared) ?? Object.values(declared.media)[0]);
  const value = "file" in answer ? answer.file : "body" in answer ? answer.body : undefined;
  if (schema === undefined || value === undefined)
    return [`the sandbox answers with the undeclared status ${answer.status}`];
  return faultsOf("the sandbox's answer", check(schema, value));
}

function faultsOf(what: string, checked: Checked<unknown>): readonly string[] {
  return checked.valid
    ? []
    : checked.faults.map((fault) => `${what}: ${fault.pointer || "/"} ${fault.message}`);
}

/** Converts the example's request to the form in which the gateway receives it: parameters are texts. */
function asSent(
  { query: declared }: Endpoint,
  { request: { params, query, headers, body } }: Example<Endpoint>,
): RawInput {
  const texts = entriesOf(params).map(([name, value]) => [name, String(value)]);
  return {
    params: Object.fromEntries(texts),
    search: encodeQuery(Object.fromEntries(entriesOf(query)), declared).slice(1),
    headers: encodeHeaders(Object.fromEntries(entriesOf(headers))),
    body,
  };
}

function entriesOf(values: unknown): readonly (readonly [string, unknown])[] {
  return typeof values === "object" && values !== null ? Object.entries(values) : [];
}
