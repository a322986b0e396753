import { describe, expect, it } from "vitest";
import { type Contract, type ContractChange, compareContracts } from "../src/index.ts";
import { answering, contractWith, REQUEST, requesting, short } from "./harness/contracts.ts";

const text = { type: "string" };
const json = { "application/json": { schema: text } };

function query(name: string, more: object = {}): object {
  return { parameters: [{ name, in: "query", required: false, schema: text, ...more }] };
}
function body(required: boolean, content: object = json): object {
  return { requestBody: { required, content } };
}
function answers(responses: object): object {
  return { responses };
}

/** A change of an operation: what the rows of a table compare, and `level pointer` of what is reported. */
const rows: readonly (readonly [name: string, before: object, after: object, change: string])[] = [
  ["a kind is another", { "x-kind": "read" }, { "x-kind": "submission" }, "major /x-kind"],
  ["a name is another", { operationId: "makeThing" }, {}, "major /operationId"],
  [
    "the paging is another",
    { "x-paging": { style: "page" } },
    { "x-paging": { style: "cursor" } },
    "major /x-paging",
  ],
  ["the paging is declared", {}, { "x-paging": { style: "page" } }, "major /x-paging"],
  ["a summary is another", { summary: "Makes a thing" }, {}, "patch /summary"],
  ["a description is another", { description: "More." }, {}, "patch /description"],
  ["a member is not known", {}, { "x-new": true }, "minor /x-new"],
  ["an optional parameter is added", {}, query("a"), "minor /parameters/0"],
  ["a required parameter is added", {}, query("a", { required: true }), "major /parameters/0"],
  ["a parameter is removed", query("a"), {}, "major /parameters/0"],
  [
    "a parameter becomes required",
    query("a"),
    query("a", { required: true }),
    "major /parameters/0/required",
  ],
  [
    "a parameter becomes optional",
    query("a", { required: true }),
    query("a"),
    "minor /parameters/0/required",
  ],
  [
    "a parameter is narrower",
    query("a"),
    query("a", { schema: { type: "string", maxLength: 1 } }),
    "major /parameters/0/schema/maxLength",
  ],
  [
    "a parameter is wider",
    query("a", { schema: { type: "string", maxLength: 1 } }),
    query("a"),
    "minor /parameters/0/schema/maxLength",
  ],
  [
    "a parameter is written in another way",
    query("a", { style: "form", explode: true }),
    query("a", { style: "form", explode: false }),
    "major /parameters/0/explode",
  ],
  [
    "a parameter has another description",
    query("a"),
    query("a", { description: "An a." }),
    "patch /parameters/0/description",
  ],
  ["an optional body is added", {}, body(false), "minor /requestBody"],
  ["a required body is added", {}, body(true), "major /requestBody"],
  ["a body is removed", body(false), {}, "major /requestBody"],
  ["a body becomes required", body(false), body(true), "major /requestBody/required"],
  ["a body becomes optional", body(true), body(false), "minor /requestBody/required"],
  [
    "a body can be of another type, too",
    body(true),
    body(true, { ...json, "text/plain": {} }),
    "minor /requestBody/content/text~1plain",
  ],
  [
    "a body cannot be of a type any more",
    body(true, { ...json, "text/plain": {} }),
    body(true),
    "major /requestBody/content/text~1plain",
  ],
  [
    "a body has another example",
    body(true),
    body(true, { "application/json": { schema: text, examples: { one: {} } } }),
    "patch /requestBody/content/application~1json/examples",
  ],
  [
    "a file of a form may be of another type",
    body(true),
    body(true, { "application/json": { schema: text, encoding: {} } }),
    "minor /requestBody/content/application~1json/encoding",
  ],
  ["a status is added", {}, answers({ 202: {}, 204: { description: "" } }), "major /responses/202"],
  [
    "a status is removed",
    answers({ 202: {}, 204: { description: "" } }),
    {},
    "minor /responses/202",
  ],
  [
    "an answer can be of another type, too",
    answers({ 200: { content: json } }),
    answers({ 200: { content: { ...json, "text/plain": {} } } }),
    "minor /responses/200/content/text~1plain",
  ],
  [
    "an answer cannot be of a type any more",
    answers({ 200: { content: { ...json, "text/plain": {} } } }),
    answers({ 200: { content: json } }),
    "major /responses/200/content/text~1plain",
  ],
  [
    "an answer gets a body",
    answers({ 200: {} }),
    answers({ 200: { content: json } }),
    "major /responses/200/content/application~1json",
  ],
  [
    "an answer loses its body",
    answers({ 200: { content: json } }),
    answers({ 200: {} }),
    "major /responses/200/content/application~1json",
  ],
  [
    "an answer gets a header",
    answers({ 200: {} }),
    answers({ 200: { headers: { "x-total": { schema: text } } } }),
    "minor /responses/200/headers/x-total",
  ],
  [
    "an answer loses a header",
    answers({ 200: { headers: { "x-total": { schema: text } } } }),
    answers({ 200: {} }),
    "major /responses/200/headers/x-total",
  ],
  [
    "a header of an answer is wider",
    answers({ 200: { headers: { "x-total": { schema: { type: "integer" } } } } }),
    answers({ 200: { headers: { "x-total": { schema: { type: "number" } } } } }),
    "major /responses/200/headers/x-total/schema/type",
  ],
];

describe("an operation", () => {
  it.each(rows)("%s", (_name, before, after, change) => {
    expect(short(compareContracts(contractWith(before), contractWith(after)))).toEqual([change]);
  });

  it("compares parameters by place and name, whatever their order; names of headers have no case", () => {
    const a = { name: "a", in: "query", schema: text };
    const header = { name: "x-a", in: "header", schema: text };
    const before = contractWith({ parameters: [a, header] });
    const after = contractWith({ parameters: [{ ...header, name: "X-A" }, a] });
    expect(compareContracts(before, after).map(({ level }) => level)).toEqual(["minor"]);
  });

  it("is added or removed as a whole, also when its path is another", () => {
    const before = contractWith({});
    const [path = "", item = {}] = Object.entries(before.paths)[0] ?? [];
    const after = { ...before, paths: { [path.replace("things", "items")]: item } };
    expect(compareContracts(before, after)).toEqual<readonly ContractChange[]>([
      {
        operation: "POST /items",
        endpoint: "createThing",
        pointer: "",
        change: "added",
        level: "minor",
        text: "The endpoint is new.",
      },
      {
        operation: "POST /things",
        endpoint: "createThing",
        pointer: "",
        change: "removed",
        level: "major",
        text: "The endpoint is removed.",
      },
    ]);
  });
});

describe("the provider", () => {
  const contract = contractWith({});
  const withInfo = (info: object): Contract => ({
    ...contract,
    info: { ...contract.info, ...info },
  });

  it.each([
    ["its title", { title: "Another" }, "patch /info/title"],
    [
      "its package",
      { "x-provider": { id: "provider-x", package: "other", lines: ["motor"] } },
      "major /info/x-provider/package",
    ],
    [
      "its lines of insurance",
      { "x-provider": { id: "provider-x", package: "@insurance-gateway/provider-x", lines: [] } },
      "minor /info/x-provider/lines",
    ],
  ])("changes %s", (_name, info, change) => {
    const changes = compareContracts(contract, withInfo(info));
    expect(short(changes)).toEqual([change]);
    expect(changes[0]).toMatchObject({ operation: null, endpoint: null });
  });

  it("has no changes with another version only, and at least a minor one with any other text", () => {
    expect(compareContracts(contract, withInfo({ version: "1.0.1" }))).toEqual([]);
    const named = requesting({ $ref: "#/components/schemas/A" }, { A: text });
    expect(short(compareContracts(requesting(text), named))).toEqual(["minor "]);
  });
});

describe("a named schema", () => {
  const node = (value: object): Readonly<Record<string, unknown>> => ({
    Node: {
      type: "object",
      properties: {
        value,
        next: { anyOf: [{ $ref: "#/components/schemas/Node" }, { type: "null" }] },
      },
      additionalProperties: false,
    },
  });
  const reference = { $ref: "#/components/schemas/Node" };

  it("that contains itself is compared once", () => {
    const before = requesting(reference, node(text));
    expect(compareContracts(before, requesting(reference, node(text)))).toEqual([]);
    expect(
      short(compareContracts(before, requesting(reference, node({ type: "number" })))),
    ).toEqual([`major ${REQUEST}/properties/value/type`]);
  });

  it("is compared in every part of an operation that uses it", () => {
    const content = { "application/json": { schema: reference } };
    const operation = { requestBody: { required: true, content }, responses: { 200: { content } } };
    const changes = compareContracts(
      contractWith(operation, node({ type: "string", maxLength: 1 })),
      contractWith(operation, node(text)),
    );
    expect(changes.map(({ level }) => level)).toEqual(["minor", "major"]);
  });

  it("keeps its demands beside further ones", () => {
    const limited = { Short: { type: "string", maxLength: 3 } };
    const limit = { $ref: "#/components/schemas/Short" };
    const beside = (maxLength: number): object => ({ ...limit, maxLength });
    const level = (before: object, after: object): readonly string[] =>
      short(compareContracts(requesting(before, limited), requesting(after, limited)));
    expect(level(limit, beside(9))).toEqual(["minor "]);
    expect(level(limit, beside(1))).toEqual([`major ${REQUEST}/allOf/1`]);
  });

  it("is another when a schema that it refers to is another", () => {
    const schemas = (inner: object): object => ({
      Outer: { type: "object", properties: { inner: { $ref: "#/components/schemas/Inner" } } },
      Inner: inner,
    });
    const outer = { $ref: "#/components/schemas/Outer" };
    const before = requesting(outer, { ...schemas(text) });
    const after = requesting(outer, { ...schemas({ type: "string", maxLength: 1 }) });
    expect(short(compareContracts(before, after))).toEqual([
      `major ${REQUEST}/properties/inner/maxLength`,
    ]);
  });

  it("is compared again where another one, which contains it and was assumed to be the same, is not", () => {
    const schemas = (value: object): Readonly<Record<string, unknown>> => ({
      Outer: { properties: { inner: { $ref: "#/components/schemas/Inner" }, value } },
      Inner: { properties: { outer: { $ref: "#/components/schemas/Outer" } } },
    });
    const either = (name: string): object => ({
      content: {
        "text/plain": {
          schema: { anyOf: [{ $ref: `#/components/schemas/${name}` }, { const: 1 }] },
        },
      },
    });
    const operation = {
      requestBody: { ...either("Outer"), required: true },
      responses: { 200: either("Inner") },
    };
    const changes = compareContracts(
      contractWith(operation, schemas({ type: "string", maxLength: 1 })),
      contractWith(operation, schemas(text)),
    );
    expect(changes.map(({ level }) => level)).toEqual(["minor", "major"]);
  });

  it("may be replaced by its content, by another name, or stand beside a description", () => {
    const before = requesting({ properties: { a: reference } }, node(text));
    const renamed = JSON.parse(JSON.stringify(before).replaceAll("Node", "Link")) as Contract; // The same with another name.
    expect(short(compareContracts(before, renamed))).toEqual(["minor "]);
    const described = requesting(
      { properties: { a: { ...reference, description: "An a." } } },
      node(text),
    );
    expect(short(compareContracts(before, described))).toEqual([
      `patch ${REQUEST}/properties/a/description`,
    ]);
  });

  it("in a union is recognised wherever it stands", () => {
    const forms = (...names: readonly string[]): object => ({
      anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })),
    });
    const schemas = {
      A: { type: "object", required: ["a"] },
      B: { type: "object", required: ["b"] },
    };
    const changes = compareContracts(
      requesting(forms("A", "B"), schemas),
      requesting(forms("B", "A"), { ...schemas, A: { type: "object" } }),
    );
    expect(short(changes)).toEqual([`minor ${REQUEST}/anyOf/1/properties/a`]);
  });

  it.each([
    ["leads nowhere", { $ref: "#/components/schemas/A" }, {}, "has no schema A"],
    [
      "is only itself",
      { $ref: "#/components/schemas/A" },
      { A: { $ref: "#/components/schemas/A" } },
      "The schema A is only itself",
    ],
    ["is elsewhere", { $ref: "other.json" }, {}, "other.json"],
  ])("that %s is refused", (_name, schema, schemas, message) => {
    expect(() => compareContracts(requesting(text), requesting(schema, schemas))).toThrow(message);
  });
});

describe("the sentences", () => {
  it.each<[string, Contract, Contract, string]>([
    [
      "a kind",
      contractWith({ "x-kind": "read" }),
      contractWith({}),
      "The endpoint was a read and is now a submission: it acts at the insurer, is never repeated by itself and takes an `Idempotency-Key`.",
    ],
    [
      "a parameter",
      contractWith(query("a")),
      contractWith(query("a", { required: true })),
      "The query parameter `a` is now required.",
    ],
    [
      "a field",
      requesting({ properties: { a: { items: text } } }),
      requesting({ properties: { a: { items: { type: "string", maxLength: 3 } } } }),
      "The field `/a/*` of the request body must now be at most 3 characters long.",
    ],
    [
      "values",
      answering({ enum: ["A", "B"] }),
      answering({ enum: ["A", "C"] }),
      'The answer 200 can no longer be `"B"`, and can now be `"C"`.',
    ],
    [
      "null",
      answering({ type: "string" }),
      answering({ type: ["string", "null"] }),
      "The answer 200 can now be null.",
    ],
    [
      "an answer's field",
      answering({ required: ["a"], properties: { a: text } }),
      answering({ properties: { a: text } }),
      "The field `/a` of the answer 200 can now be absent.",
    ],
    [
      "a usual page",
      answering({ "x-page": "P", items: text }),
      answering({ "x-page": "P", items: { type: "boolean" } }),
      "The field `/items/*` of the answer 200 can no longer be a string, and can now be true or false.",
    ],
    [
      "a rule",
      requesting({}),
      requesting({
        "x-rules": [{ path: ["end"], code: "DATE_ORDER", message: "must be after start" }],
      }),
      "The request body must now keep the rule `/end` `DATE_ORDER: must be after start`.",
    ],
    [
      "a type of a body",
      contractWith(body(true)),
      contractWith(body(true, { ...json, "text/plain": {} })),
      "The request body as `text/plain` is new.",
    ],
  ])("name %s", (_name, before, after, sentence) => {
    expect(compareContracts(before, after).map(({ text: words }) => words)).toEqual([sentence]);
  });

  it("stand in the order of paths, methods and pointers, whatever the order of the documents", () => {
    const wide = { type: "object", properties: { b: text, a: text }, additionalProperties: false };
    const paths = (...methods: readonly string[]): Contract => {
      const { paths: all, ...contract } = requesting(wide);
      const [[path, item] = ["", {}]] = Object.entries(all);
      const operation = Object.values(item)[0] as object; // The only one.
      return {
        ...contract,
        paths: { [path]: Object.fromEntries(methods.map((method) => [method, operation])) },
      };
    };
    const narrow = (contract: Contract): Contract =>
      JSON.parse(
        JSON.stringify(contract).replaceAll('{"type":"string"}', '{"type":"null"}'),
      ) as Contract; // As it was.
    const changes = compareContracts(paths("put", "post"), narrow(paths("post", "put")));
    expect(changes.map(({ operation, pointer }) => `${operation} ${pointer.at(-6)}`)).toEqual([
      "POST /things a",
      "POST /things b",
      "PUT /things a",
      "PUT /things b",
    ]);
  });
});
