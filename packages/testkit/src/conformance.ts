import {
  type Checked,
  check,
  type Endpoint,
  type Example,
  encodeQuery,
  inputChecker,
  type Provider,
  type RawInput,
} from "@insurance-gateway/core/contract";
import type { AnySandbox } from "@insurance-gateway/core/sandbox";
import { declarationFaults } from "./declaration-faults.ts";

/** A provider's package as its tests see it. */
export interface ConformanceSubject {
  /** The name of the package's folder. */
  readonly id: string;
  /** Its endpoints are looked at by name, whatever their types. */
  readonly provider: Provider<object>;
  /** What `./examples` exports. */
  readonly examples: object;
  readonly sandbox: AnySandbox;
}

/**
 * Holds a provider to the rules that every provider keeps: examples and a sandbox handler for each endpoint and
 * none beside, declarations that do not contradict themselves and say what is on the wire, examples that keep their schemas, a sandbox that answers
 * them as declared.
 * @returns every fault in a line; nothing when there is none
 */
export function conformanceFaults(subject: ConformanceSubject): readonly string[] {
  const { id, provider, sandbox } = subject;
  const endpoints = Object.entries<Endpoint>({ ...provider.endpoints });
  const names = endpoints.map(([name]) => name);
  const examples = new Map(
    Object.entries<Readonly<Record<string, Example<Endpoint>>>>({ ...subject.examples }),
  );
  return [
    ...(provider.id === id ? [] : [`the provider's id is ${provider.id}, and its folder ${id}`]),
    ...differences("example", names, [...examples.keys()]),
    ...differences("sandbox handler", names, Object.keys(sandbox.handlers)),
    ...endpoints.flatMap(([name, endpoint]) => [
      ...declarationFaults(endpoint, Object.fromEntries(endpoints)).map(
        (fault) => `${name}: ${fault}`,
      ),
      ...Object.entries(examples.get(name) ?? {}).flatMap(([title, example]) =>
        exampleFaults(name, endpoint, example, sandbox).map(
          (fault) => `${name}, ${title}: ${fault}`,
        ),
      ),
    ]),
  ];
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
      .map((name) => `${name} is no endpoint: its ${what} is left over`),
  ];
}

function exampleFaults(
  name: string,
  endpoint: Endpoint,
  example: Example<Endpoint>,
  sandbox: AnySandbox,
): readonly string[] {
  const request = inputChecker(endpoint)(asSent(example));
  if (!request.valid) return faultsOf("its request", request);
  return [
    ...(endpoint.kind === "document" ? [] : responseFaults(endpoint, example.response)),
    ...sandboxFaults(name, endpoint, request.value, sandbox),
  ];
}

function responseFaults(endpoint: Endpoint, response: unknown): readonly string[] {
  const checked = Object.values(endpoint.response).map((schema) => check(schema, response));
  const accepted = checked.some(({ valid }) => valid);
  return accepted ? [] : checked.flatMap((one) => faultsOf("its response", one));
}

function sandboxFaults(
  name: string,
  endpoint: Endpoint,
  input: unknown,
  sandbox: AnySandbox,
): readonly string[] {
  const clock = (): Date => new Date("2026-11-21T08:00:00Z");
  const answer = sandbox.handlers[name]?.({ input, scenario: null }, sandbox.seed, clock);
  if (answer === undefined) return [];
  if (endpoint.kind === "document")
    return "document" in answer ? [] : ["the sandbox answers it with no document"];
  const schema = endpoint.response[answer.status];
  if (schema === undefined || !("body" in answer))
    return [`the sandbox answers it with ${answer.status}, which is not declared`];
  return faultsOf("the sandbox's answer", check(schema, answer.body));
}

function faultsOf(what: string, checked: Checked<unknown>): readonly string[] {
  return checked.valid
    ? []
    : checked.faults.map((fault) => `${what}: ${fault.pointer || "/"} ${fault.message}`);
}

/** The example's request as it comes over the wire: parameters are texts. */
function asSent({ request: { params, query, body } }: Example<Endpoint>): RawInput {
  const texts = entriesOf(params).map(([name, value]) => [name, String(value)]);
  return {
    params: Object.fromEntries(texts),
    search: encodeQuery(Object.fromEntries(entriesOf(query))),
    body,
  };
}

function entriesOf(values: unknown): readonly (readonly [string, unknown])[] {
  return typeof values === "object" && values !== null ? Object.entries(values) : [];
}
