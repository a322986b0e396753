import {
  check,
  type Endpoint,
  type Example,
  type Examples,
  encodeQuery,
  inputChecker,
  type RawInput,
  zod,
} from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import * as namedExamples from "../src/examples/index.ts";
import { providerU } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

const endpoints: Readonly<Record<string, Endpoint>> = providerU.endpoints;
const examples: Readonly<Record<string, Examples<Endpoint>>> = namedExamples;

/** Every example with its endpoint: `[title, case]`. */
const cases = Object.entries(endpoints).flatMap(([name, endpoint]) =>
  Object.entries(examples[name] ?? {}).map(
    ([title, example]) => [`${name}, ${title}`, { name, endpoint, example }] as const,
  ),
);

describe("Provider U", () => {
  it("is known by the name of its folder", () => {
    expect(providerU.id).toBe("provider-u");
  });

  it("has an example and a sandbox handler for every endpoint, and none beside", () => {
    const names = Object.keys(endpoints).toSorted();
    expect(Object.keys(examples).toSorted()).toEqual(names);
    expect(cases.map(([, { name }]) => name)).toEqual(expect.arrayContaining(names));
    expect(Object.keys(sandbox.handlers).toSorted()).toEqual(names);
  });

  it.each(Object.entries(endpoints))("declares what is on the wire: %s", (_name, endpoint) => {
    const { params, query, body, response } = endpoint;
    const schemas = [params, query, body, ...Object.values(response)].filter(isPresent).map(zod);
    // A transform, a default or a coercion makes what is read another than what was sent.
    const sent = schemas.map((schema) => z.toJSONSchema(schema, { io: "input" }));
    const read = schemas.map((schema) => z.toJSONSchema(schema, { io: "output" }));
    expect(read).toEqual(sent);
  });

  it.each(cases)("declares what the example shows: %s", (_title, { endpoint, example }) => {
    expect(inputChecker(endpoint)(asSent(example))).toMatchObject({ valid: true });
    if (endpoint.kind === "document") return;
    const { response } = example;
    const checked = Object.values(endpoint.response).map((schema) => check(schema, response));
    expect(checked).toContainEqual({ valid: true, value: response });
  });

  it.each(cases)("has a sandbox that answers it: %s", (_title, { name, endpoint, example }) => {
    const checked = inputChecker(endpoint)(asSent(example));
    const input = checked.valid ? checked.value : undefined;
    const answer = sandbox.handlers[name]?.({ input, scenario: null }, sandbox.seed, clock);
    expect(answer?.status).toBeLessThan(300);
    if (answer === undefined || !("body" in answer)) return;
    const schema = endpoint.response[answer.status];
    expect(schema && check(schema, answer.body)).toMatchObject({ valid: true });
  });
});

/** The example's request as it comes over the wire: parameters are texts. */
function asSent({ request: { params, query, body } }: Example<Endpoint>): RawInput {
  const texts = entries(params).map(([name, value]) => [name, String(value)]);
  const search = encodeQuery(Object.fromEntries(entries(query)));
  return { params: Object.fromEntries(texts), search, body };
}

function entries(values: unknown): readonly (readonly [string, unknown])[] {
  return typeof values === "object" && values !== null ? Object.entries(values) : [];
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function clock(): Date {
  return new Date("2026-11-21T08:00:00Z");
}
