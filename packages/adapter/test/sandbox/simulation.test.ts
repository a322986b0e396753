import {
  type CheckedInput,
  defineProvider,
  type Endpoint,
  none,
  pdf,
} from "@insurance-gateway/core/contract";
import {
  instant,
  integer,
  list,
  loose,
  strict,
  string,
  zodSchema,
} from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import {
  publishedInsurer,
  type SandboxRecord,
  type SimulationOptions,
  simulated,
} from "../../src/sandbox/index.ts";

const provider = "provider-s";
const clock = (): Date => new Date(Date.UTC(2026, 10, 24, 9, 30));

interface Stored extends SandboxRecord {
  readonly endpoint: string;
  readonly body: unknown;
  readonly reference?: string;
}

interface Asked extends Partial<CheckedInput> {
  /** The client's own name for a submission. */
  readonly reference?: string;
}

type Ask = (name: string, asked?: Asked, records?: readonly Stored[]) => unknown;

/** Asks a simulation of these endpoints that has these examples. */
function asking(endpoints: Readonly<Record<string, Endpoint>>, examples: object): Ask {
  const declared = defineProvider({ id: provider, name: "S", lines: ["motor"], endpoints });
  const { handlers } = simulated(declared, examples);
  return (name, { reference, ...parts } = {}, records = []) => {
    const handler = handlers[name];
    if (handler === undefined) throw new TypeError(`There is no handler of ${name}`);
    const input = { params: {}, query: {}, headers: {}, body: undefined, ...parts };
    const request = { input, scenario: null, ...(reference === undefined ? {} : { reference }) };
    return handler(request, records, clock);
  };
}

const gone = {
  status: 404,
  problem: { code: "RESOURCE_NOT_FOUND", detail: "The insurer does not have it." },
};

interface Policy {
  readonly policyId: string;
  readonly holder: { readonly name: string; readonly age?: number };
  readonly covers: string[];
  readonly createdAt?: string;
  readonly note?: string;
}
const policy = loose<Policy>({
  policyId: z.string().check(z.regex(/^M-\d+$/)),
  holder: z.looseObject({ name: string(), age: z.exactOptional(integer({ minimum: 18 })) }),
  covers: list(string()),
  createdAt: z.exactOptional(instant()),
  note: z.exactOptional(string()),
});
const policyPath = strict<{ policyId: string }>({ policyId: string() });
const issued = { policyId: "M-0009", holder: { name: "Άρης", age: 40 }, covers: ["fire"] };
const other = { policyId: "M-7", holder: { name: "Ελένη" }, covers: ["theft"], note: "second" };

const readPolicy: Endpoint = {
  kind: "read",
  method: "GET",
  provider,
  path: "/policies/{policyId}",
  params: policyPath,
  response: { 200: policy },
};
const createPolicy: Endpoint = {
  kind: "submission",
  method: "POST",
  provider,
  path: "/policies",
  body: loose<object>({}),
  response: { 201: policy },
  idempotency: "native",
  insurerId: "/policyId",
  reconcile: { endpoint: "searchPolicies", parameters: {}, createdAt: "/createdAt" },
};
const changePolicy: Endpoint = {
  kind: "submission",
  method: "PUT",
  provider,
  path: "/policies/{policyId}",
  params: policyPath,
  body: loose<object>({}),
  response: { 200: policy },
};
const cancelPolicy: Endpoint = {
  kind: "submission",
  method: "DELETE",
  provider,
  path: "/policies/{policyId}",
  params: policyPath,
  response: { 204: none },
};
const endpoints = { readPolicy, createPolicy, changePolicy, cancelPolicy };
const examples = {
  readPolicy: {
    first: { request: { params: { policyId: "M-0009" } }, response: issued },
    second: { request: { params: { policyId: "M-7" } }, response: other },
  },
  createPolicy: {
    first: {
      request: { body: { holder: { name: "Άρης" } } },
      response: { ...issued, createdAt: "2026-01-01T00:00:00Z" },
    },
    second: {
      request: { body: { holder: { name: "Ελένη" }, covers: ["theft"] } },
      response: { ...other, createdAt: "2026-01-01T00:00:00Z" },
    },
  },
  changePolicy: { usual: { request: { params: { policyId: "M-0009" } }, response: issued } },
  cancelPolicy: { usual: { request: { params: { policyId: "M-0009" } }, response: undefined } },
};
const ask = asking(endpoints, examples);

/** The record of a created policy. */
const stored: Stored = {
  id: "M-0010",
  endpoint: "createPolicy",
  body: { ...other, policyId: "M-0010" },
};
const removed: Stored = { id: "M-0011", endpoint: "cancelPolicy", body: undefined };

describe("a simulated insurer", () => {
  const declared = defineProvider({ id: provider, name: "S", lines: ["motor"], endpoints });

  it("has the provider, no records, no scenarios and a handler for each endpoint", () => {
    const { handlers, ...rest } = simulated(declared, examples);
    expect(rest).toEqual({ provider: declared, seed: [], scenarios: [] });
    expect(Object.keys(handlers)).toEqual(Object.keys(endpoints));
  });

  it("has the given settings and the dialect of the given calls", () => {
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

  it("is not created without an example of each endpoint", () => {
    const { changePolicy: _, ...others } = examples;
    for (const incomplete of [others, { ...others, changePolicy: {} }])
      expect(() => simulated(declared, incomplete)).toThrow(
        new TypeError("provider-s has no example of changePolicy"),
      );
  });
});

describe("a read of a simulated insurer", () => {
  it("returns the example with the same path, otherwise the first, with the given identifier", () => {
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

  it("returns what was stored last, and 404 for what was removed", () => {
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

  it("returns an example if the stored answer has another form", () => {
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

  it("is the example that has most in common with the call, and the path counts most", () => {
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

  it("has the fields of the call that fit the answer", () => {
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

describe("an answer that is not JSON", () => {
  const asked: Endpoint = { ...readPolicy, path: "/x" };
  const { params: _, ...endpoint } = asked;
  const answers = (
    response: Endpoint["response"],
    example: unknown,
    more: Partial<Endpoint> = {},
  ) =>
    asking(
      { one: { ...endpoint, response, ...more } },
      { one: { usual: { request: {}, response: example } } },
    )("one", { body: "text of the request" });
  const word = zodSchema(string());

  it("is a text, or nothing", () => {
    expect(answers({ 200: { media: { "text/csv": word } } }, "a;b")).toEqual({
      status: 200,
      body: "a;b",
    });
    expect(answers({ 200: { media: { "text/csv": word } } }, undefined)).toEqual({
      status: 200,
      body: "Simulated",
    });
    expect(answers({ 204: none }, undefined)).toEqual({ status: 204, body: undefined });
  });

  it("is JSON whose whole value is a text, which is not the request's", () => {
    expect(answers({ 200: word }, "answer")).toEqual({ status: 200, body: "answer" });
  });

  it("has the status whose schema accepts the example, or that of another type", () => {
    const both = { 200: policy, 202: zodSchema(z.number()) };
    expect(answers(both, 5)).toEqual({ status: 202, body: 5 });
    expect(answers(both, issued)).toEqual({ status: 200, body: issued });
    const text = { 200: policy, 203: { media: { "text/plain": word } }, 204: none };
    expect(answers(text, "a")).toEqual({ status: 203, body: "a" });
    expect(answers({ 201: policy, 202: policy }, "a")).toEqual({ status: 201, body: "a" });
  });

  const textOf = (content: Uint8Array): string => Buffer.from(content).toString("latin1");
  it.each([
    ["image/gif", "GIF89a\u0001\0\u0001\0", ";", 42],
    ["image/png", "\u0089PNG\r\n\u001a\n", "IEND\u00aeB`\u0082", 70],
    ["application/zip", `PK\u0005\u0006${"\0".repeat(18)}`, "", 22],
    ["application/xml", '<?xml version="1.0" encoding="UTF-8"?>\n<simulated/>\n', "", 52],
    ["application/octet-stream", "", "", 0],
  ])("is a small file of the type %s", (mediaType, begin, end, size) => {
    const answer = Object(answers({ 200: { media: { [mediaType]: word } } }, undefined));
    expect(answer).toEqual({ status: 200, file: { mediaType, content: expect.any(Uint8Array) } });
    const text = textOf(answer.file.content);
    expect([text.startsWith(begin), text.endsWith(end), text.length]).toEqual([true, true, size]);
  });

  it.each([
    ["text/xml", '<?xml version="1.0" encoding="UTF-8"?>\n<simulated/>\n'],
    ["text/html", "<!doctype html>\n<title>Simulated</title>\n"],
    ["text/csv", "simulated\r\n"],
    ["text/plain", "Simulated\n"],
    ["application/json", "{}\n"],
  ])("is a small document of the type %s", (mediaType, text) => {
    const more = { kind: "document", files: [{ mediaType, extension: "x" }] } as const;
    const answer = Object(answers({}, undefined, more));
    expect(answer).toEqual({ status: 200, file: { mediaType, content: expect.any(Uint8Array) } });
    expect(textOf(answer.file.content)).toBe(text);
  });

  it("begins with the signature of its type", () => {
    const more = (signature: string) =>
      ({
        kind: "document",
        files: [{ mediaType: "text/plain", extension: "x", signature }, pdf],
      }) as const;
    const file = (signature: string) => Object(answers({}, undefined, more(signature))).file;
    expect(textOf(file("Simul").content)).toBe("Simulated\n");
    expect(textOf(file("\u00ff\u00fe").content)).toBe("\u00ff\u00fe");
  });

  it("is a PDF whose table has the offset of every object", () => {
    const files = [pdf] as const;
    for (const more of [{ files }, {}]) {
      const answer = Object(answers({}, undefined, { kind: "document", ...more }));
      expect(answer).toMatchObject({ status: 200, file: { mediaType: "application/pdf" } });
      const text = textOf(answer.file.content);
      const [, start = "", end] = /\nstartxref\n(\d+)\n(%%EOF\n)$/.exec(text) ?? [];
      expect(end).toBe("%%EOF\n");
      expect(text).toMatch(/^%PDF-1\.4\n1 0 obj\n/);
      const table = text.slice(Number(start)).split("\n");
      expect(table.slice(0, 3)).toEqual(["xref", "0 6", "0000000000 65535 f "]);
      expect(table.slice(8, 10)).toEqual(["trailer", "<< /Size 6 /Root 1 0 R >>"]);
      const found = table.slice(3, 8).map((line) => {
        expect(line).toMatch(/^\d{10} 00000 n $/);
        return text.slice(Number(line.slice(0, 10))).split("\n", 1)[0];
      });
      expect(found).toEqual([1, 2, 3, 4, 5].map((number) => `${number} 0 obj`));
      const [, length, stream = ""] =
        /<< \/Length (\d+) >>\nstream\n(.*)\nendstream/.exec(text) ?? [];
      expect(stream).toBe("BT /F1 24 Tf 72 720 Td (Simulated) Tj ET");
      expect(stream).toHaveLength(Number(length));
    }
  });
});

describe("a submission to a simulated insurer", () => {
  const body = { holder: { name: "Ζωή" } };
  const created = (policyId: string) => ({
    ...issued,
    policyId,
    holder: { name: "Ζωή", age: 40 },
    createdAt: "2026-11-24T09:30:00.000Z",
  });

  it("is stored with a new identifier, the time and the client's name", () => {
    expect(ask("createPolicy", { body, reference: "K-1" })).toEqual({
      status: 201,
      body: created("M-0010"),
      keep: [{ id: "M-0010", endpoint: "createPolicy", body: created("M-0010"), reference: "K-1" }],
    });
    expect(ask("createPolicy", { body })).toEqual({
      status: 201,
      body: created("M-0010"),
      keep: [{ id: "M-0010", endpoint: "createPolicy", body: created("M-0010") }],
    });
  });

  it("gets no identifier that another record has", () => {
    expect(ask("createPolicy", { body }, [removed])).toMatchObject({
      body: { policyId: "M-0012" },
    });
    expect(ask("createPolicy", { body }, [stored])).toMatchObject({ body: { policyId: "M-0011" } });
  });

  it("with the same name of the client has the first answer, if the insurer recognises names", () => {
    const first: Stored = { ...stored, reference: "K-1", body: { ...issued, policyId: "M-0010" } };
    const sent = { body, reference: "K-1" };
    expect(ask("createPolicy", sent, [{ ...first, reference: "K-0", id: "M-3" }, first])).toEqual({
      status: 201,
      body: first.body,
    });
    expect(ask("createPolicy", { body, reference: "K-2" }, [first])).toMatchObject({
      body: { policyId: "M-0011" },
    });
    expect(ask("createPolicy", { body }, [first])).toMatchObject({ body: { policyId: "M-0011" } });
    expect(ask("createPolicy", sent, [{ ...first, endpoint: "renewPolicy" }])).toMatchObject({
      body: { policyId: "M-0011" },
    });
    const reconciling = asking(
      { createPolicy: { ...createPolicy, idempotency: "reconcile" } },
      examples,
    );
    expect(reconciling("createPolicy", sent, [first])).toMatchObject({
      body: { policyId: "M-0011" },
    });
  });

  it("that changes something replaces its record", () => {
    const changed = { ...other, policyId: "M-0010", holder: { name: "Ζωή" } };
    const params = { policyId: "M-0010" };
    expect(ask("changePolicy", { params, body, reference: "K-1" }, [stored])).toEqual({
      status: 200,
      body: changed,
      keep: [{ id: "M-0010", endpoint: "changePolicy", body: changed, reference: "K-1" }],
    });
    const unknown = { ...issued, policyId: "M-0010", holder: { name: "Ζωή", age: 40 } };
    expect(ask("changePolicy", { params, body })).toEqual({
      status: 200,
      body: unknown,
      keep: [{ id: "M-0010", endpoint: "changePolicy", body: unknown }],
    });
    const odd: Stored = { ...stored, body: { accepted: true } };
    expect(ask("changePolicy", { params, body }, [odd])).toMatchObject({
      keep: [{ id: "M-0010", endpoint: "changePolicy", body: unknown }],
    });
    expect(ask("changePolicy", { params: { policyId: "M-0011" }, body }, [removed])).toEqual(gone);
  });

  it("that removes something stores that it is gone", () => {
    expect(ask("cancelPolicy", { params: { policyId: "M-0010" } }, [stored])).toEqual({
      status: 204,
      body: undefined,
      keep: [{ id: "M-0010", endpoint: "cancelPolicy", body: undefined }],
    });
    expect(ask("cancelPolicy", { params: { policyId: "M-0011" } }, [removed])).toEqual(gone);
  });

  it("that removes something below a parameter stores nothing", () => {
    const path = "/policies/{policyId}/note";
    const removing = asking({ cancelPolicy: { ...cancelPolicy, path } }, examples);
    expect(removing("cancelPolicy", { params: { policyId: "M-0010" } })).toEqual({
      status: 204,
      body: undefined,
    });
  });

  it("without an identifier of its own has the number of the record", () => {
    const { insurerId: _, reconcile: __, ...endpoint } = createPolicy;
    const plain = asking({ createPolicy: endpoint }, examples);
    expect(plain("createPolicy", { body }, [stored, removed])).toMatchObject({
      body: { policyId: "M-0009", createdAt: "2026-01-01T00:00:00Z" },
      keep: [{ id: "createPolicy-3", endpoint: "createPolicy" }],
    });
  });
});

describe("the new identifier of a simulated insurer", () => {
  /** The identifiers of a submission whose example has one, and whose other values are taken. */
  function identifierLike(
    given: string | number,
    schema: z.ZodMiniType,
    {
      records = [],
      taken = [],
    }: { readonly records?: readonly string[]; readonly taken?: readonly unknown[] } = {},
  ): unknown {
    const answer = loose<{ id: unknown }>({ id: schema });
    const create = asking(
      { one: { ...createPolicy, insurerId: "/id", response: { 201: answer } } },
      { one: { usual: { request: {}, response: { id: given, taken } } } },
    );
    const before = records.map((id): Stored => ({ id, endpoint: "one", body: {} }));
    const { body, keep } = Object(create("one", {}, before));
    expect(keep).toEqual([{ id: String(body.id), endpoint: "one", body }]);
    return body.id;
  }

  const numbers = Array.from({ length: 99 }, (_, index) => index + 2);
  it.each<[string | number, z.ZodMiniType, object, unknown]>([
    [5, z.number(), {}, 6],
    [5, z.number(), { records: ["a", "b"] }, 8],
    [5, z.number(), { taken: [6, "8"] }, 7],
    ["A-0099", z.string(), {}, "A-0100"],
    ["A-99", z.string(), { records: ["A-101"] }, "A-99-2"],
    ["9007199254740993", z.string(), {}, "9007199254740994"],
    ["first", z.string(), {}, "first-1"],
    ["first", z.string(), { taken: ["first-1"] }, "000000000001"],
    [
      "0192f2a0-1111-7abc-8def-0123456789ab",
      z.uuid(),
      { records: ["x"] },
      "0192f2a0-1111-7abc-8def-000000000002",
    ],
    ["ABCDEF", z.string().check(z.length(6)), {}, "ABCDE1"],
    ["ABCDEF", z.string().check(z.length(6)), { records: Array(9).fill("x") }, "ABCD10"],
    ["A", z.string().check(z.length(1)), { records: Array(8).fill("x") }, "9"],
    ["ONLY", z.literal("ONLY"), {}, "ONLY"],
    [1, z.number(), { taken: numbers }, 101],
    [1, z.number(), { taken: [...numbers, 101] }, 1],
  ])("after %j is free and has its form", (given, schema, more, expected) => {
    expect(identifierLike(given, schema, more)).toBe(expected);
  });
});
