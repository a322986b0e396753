import { defineProvider, type Endpoint } from "@insurance-gateway/core/contract";
import { integer, loose, strict } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import { publishedInsurer, type SimulationOptions, simulated } from "../../src/sandbox/index.ts";
import {
  type Asked,
  ask,
  asking,
  endpoints,
  examples,
  gone,
  issued,
  other,
  policy,
  provider,
  removed,
  type Stored,
  stored,
} from "./simulations.ts";

describe("a simulated insurer", () => {
  const declared = defineProvider({ id: provider, name: "S", lines: ["motor"], endpoints });

  it("a simulated insurer has by default a handler for each endpoint, but no records and no scenarios", () => {
    const { handlers, ...rest } = simulated(declared, examples);
    expect(rest).toEqual({ provider: declared, seed: [], scenarios: [] });
    expect(Object.keys(handlers)).toEqual(Object.keys(endpoints));
  });

  it("a simulated insurer uses the settings and the dialect in its options, or the dialect that the options' `calls` describe", () => {
    type Options = SimulationOptions<typeof declared>;
    const placesOf = (options: Options): unknown =>
      simulated(declared, examples, options).dialect?.routes.map(
        ({ method, path }) => `${method} ${path}`,
      );
    const settings = { tenant: "acme" };
    const calls = { createPolicy: { path: "/v2/policies" } };
    expect(simulated(declared, examples, { settings })).toMatchObject({ settings });
    expect(placesOf({})).toBeUndefined();
    expect(placesOf({ calls })).toEqual([
      "GET /policies/{policyId}",
      "POST /v2/policies",
      "PUT /policies/{policyId}",
      "DELETE /policies/{policyId}",
    ]);
    const dialect = publishedInsurer(declared, {});
    expect(simulated(declared, examples, { calls, dialect }).dialect).toBe(dialect);
  });

  it("a simulated insurer cannot be created without an example of each endpoint", () => {
    const { changePolicy: _, ...others } = examples;
    for (const incomplete of [others, { ...others, changePolicy: {} }])
      expect(() => simulated(declared, incomplete)).toThrow(
        new TypeError("provider-s has no example of changePolicy"),
      );
  });
});

describe("a read of a simulated insurer", () => {
  it("a simulated insurer answers a read with the example of the same path, or with the first example and the requested identifier", () => {
    expect(ask("readPolicy", { params: { policyId: "M-7" } })).toEqual({
      status: 200,
      body: other,
    });
    expect(ask("readPolicy", { params: { policyId: "M-8" } })).toEqual({
      status: 200,
      body: { ...issued, policyId: "M-8" },
    });
    expect(ask("readPolicy", { params: { policyId: "none" } })).toEqual({
      status: 200,
      body: issued,
    });
  });

  it("a simulated insurer answers a read with the last stored record of the resource, or with 404 after the removal of the resource", () => {
    const changed = { ...stored, body: { ...other, policyId: "M-0010", note: "changed" } };
    expect(ask("readPolicy", { params: { policyId: "M-0010" } }, [stored, changed])).toEqual({
      status: 200,
      body: changed.body,
    });
    expect(ask("readPolicy", { params: { policyId: "M-0011" } }, [removed])).toEqual(gone);
    expect(ask("readPolicy", { params: { policyId: "M-0011" } }, [stored])).toMatchObject({
      status: 200,
    });
  });

  it("a simulated insurer answers a read with an example if the stored record does not match the answer's schema", () => {
    const odd: Stored = { ...stored, body: { accepted: true } };
    expect(ask("readPolicy", { params: { policyId: "M-0010" } }, [odd])).toEqual({
      status: 200,
      body: { ...issued, policyId: "M-0010" },
    });
  });
});

describe("a quote of a simulated insurer", () => {
  const quote: Endpoint = {
    kind: "quote",
    method: "POST",
    provider,
    path: "/quotes/{year}",
    params: strict<{ year: number }>({ year: integer() }),
    body: loose<object>({}),
    response: { 200: policy },
  };
  const nested = {
    quote: {
      by: {
        request: { body: { a: { "b/c": 1 }, list: [1, 2], none: undefined } },
        response: { ...issued, year: 2025, note: "plain" },
      },
      query: {
        request: { query: { fast: true }, headers: { "x-agent": "7" }, body: { a: { "b/c": 2 } } },
        response: { ...issued, year: 2025, note: "fast" },
      },
      path: { request: { params: { year: 2027 } }, response: { ...issued, note: "path" } },
    },
  };
  const quoting = asking({ quote }, nested);
  const noteFor = (asked: Asked): unknown => Object(quoting("quote", asked)).body?.note;

  it("a simulated insurer answers a quote with the example that shares the most values with the call; path values count most", () => {
    expect(noteFor({})).toBe("plain");
    expect(noteFor({ body: { a: { "b/c": 1 } } })).toBe("plain");
    expect(noteFor({ body: { a: { "b/c": 2 } } })).toBe("fast");
    expect(noteFor({ body: { list: [1, 2] }, query: { fast: true } })).toBe("plain");
    expect(noteFor({ query: { fast: true }, body: { list: [1, 3] } })).toBe("fast");
    expect(noteFor({ headers: { "x-agent": "7" } })).toBe("fast");
    const fast = { query: { fast: true }, headers: { "x-agent": "7" }, body: { a: { "b/c": 2 } } };
    expect(noteFor({ ...fast, params: { year: 2026 } })).toBe("fast");
    expect(noteFor({ ...fast, params: { year: 2027 } })).toBe("path");
  });

  it("the answer to a quote copies each value of the call if the answer's schema accepts the value", () => {
    const body = {
      policyId: "X-1",
      holder: { name: "Ζωή", age: 17 },
      covers: ["flood", "hail"],
      note: undefined,
      unknown: "x",
    };
    expect(quoting("quote", { params: { year: "2026" }, body })).toEqual({
      status: 200,
      body: {
        ...issued,
        holder: { name: "Ζωή", age: 40 },
        covers: ["flood", "hail"],
        year: 2026,
        note: "plain",
      },
    });
    expect(quoting("quote", { body: { holder: { age: 18 }, year: "x" } })).toMatchObject({
      body: { holder: { name: "Άρης", age: 18 }, year: Number.NaN },
    });
  });
});
