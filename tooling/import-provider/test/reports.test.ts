import { describe, expect, it } from "vitest";
import { type ImportedProvider, importProvider } from "../src/import-provider.ts";
import { accepts, documentFile, imported, object, taking } from "./sample.ts";

const text = { type: "string" };
const json = { "application/json": { schema: { type: "object", properties: { a: text } } } };
const responses = { 200: { description: "", content: json } };

/** Returns the severity and the text of each reported loss. */
function reported({ losses }: ImportedProvider): readonly string[] {
  return losses.map(({ effect, severity }) => `${severity}: ${effect}`);
}

function post(operation: object): readonly string[] {
  return reported(imported({ "/a": { post: { operationId: "send", responses, ...operation } } }));
}

function withParameter(parameter: object): ImportedProvider {
  const at = Reflect.get(parameter, "in") === "path" ? "/a/{p}" : "/a";
  return imported({
    [at]: { get: { operationId: "read", parameters: [{ name: "p", ...parameter }], responses } },
  });
}

const sent = (content: object): object => ({ requestBody: { required: true, content } });

describe("reported differences between the package and the document", () => {
  it.each<[what: string, operation: object, effect: string]>([
    [
      "a version in a media type",
      sent({ "application/json;version=2": json["application/json"] }),
      "lost: The media type is application/json, without version=2.",
    ],
    [
      "a second media type of the same name",
      sent({ ...json, "application/json; version=2": json["application/json"] }),
      "loosened: The media type application/json; version=2 is left out: application/json is declared once.",
    ],
    [
      "a media type with a wildcard only",
      { requestBody: { content: { "image/*": {} } } },
      "lost: The media type image/* is left out: it is only a wildcard.",
    ],
    [
      "an encoding of a form's field",
      sent({
        "application/x-www-form-urlencoded": {
          schema: { type: "object", properties: { a: { type: "array", items: text } } },
          encoding: { a: { style: "pipeDelimited", explode: false } },
        },
      }),
      "lost: The field a is sent in OpenAPI's default way instead of in the style pipeDelimited, in one text.",
    ],
    [
      "a separate server of an operation",
      { servers: [{ url: "https://other.example" }] },
      "lost: Its own server is ignored: requests go to the configured address.",
    ],
  ])(
    "the importer reports a difference between the package and the document: %s",
    (_what, operation, effect) => {
      expect(post(operation)).toEqual([effect]);
    },
  );

  it.each<[what: string, operation: object]>([
    ["the character set", sent({ "application/json; charset=UTF-8": json["application/json"] })],
    [
      "the character set a second time",
      sent({ ...json, "application/json; charset=utf-8": json["application/json"] }),
    ],
    ["a wildcard beside a media type", sent({ ...json, "application/*+json": {}, "*/*": {} })],
    [
      "the usual type of a form's field",
      sent({
        "multipart/form-data": {
          schema: { type: "object", properties: { a: { type: "object" } } },
          encoding: { a: { contentType: "application/json" } },
        },
      }),
    ],
  ])(
    "the importer does not report a common property of insurers' documents: %s",
    (_what, operation) => {
      expect(post(operation)).toEqual([]);
    },
  );

  it.each<[what: string, parameter: object, effect: RegExp]>([
    ["a matrix", { in: "path", required: true, schema: text, style: "matrix" }, /style matrix/],
    ["a label", { in: "path", required: true, schema: text, style: "label" }, /style label/],
    [
      "JSON in a header",
      { in: "header", content: { "application/json": { schema: text } } },
      /JSON/,
    ],
    ["reserved characters", { in: "query", schema: text, allowReserved: true }, /percent-encoded/],
  ])(
    "the importer reports a parameter that the imported package cannot send as documented: %s",
    (_what, parameter, effect) => {
      expect(reported(withParameter(parameter))).toEqual([expect.stringMatching(effect)]);
    },
  );

  it.each<[what: string, answers: object, effect: RegExp]>([
    [
      "a file that only a status other than 200 returns",
      { 201: { content: { "application/pdf": {} } } },
      /201, and never with 200/,
    ],
    [
      "an answer with only a wildcard as media type",
      { 200: { content: { "text/*": {} } } },
      /only with text\/\*/,
    ],
  ])(
    "the importer omits an operation if no endpoint can declare the operation's answer: %s",
    (_what, answers, effect) => {
      const found = imported({ "/a": { get: { operationId: "read", responses: answers } } });
      expect(reported(found)).toEqual([expect.stringMatching(effect)]);
      expect(found.endpoints).toEqual([]);
    },
  );

  it("the importer reports that an optional discriminator selects no alternative", () => {
    const animal = (name: string): object => ({
      type: "object",
      properties: { kind: { enum: [name] }, name: text },
    });
    const schemas = { Cat: animal("Cat"), Dog: animal("Dog") };
    const oneOf = ["Cat", "Dog"].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const schema = { oneOf, discriminator: { propertyName: "kind" } };
    const content = { "application/json": { schema } };
    const found = imported({ "/a": { post: { responses, ...sent(content) } } }, schemas);
    expect(reported(found)).toEqual([
      expect.stringMatching(/^loosened: The discriminator kind selects nothing/),
    ]);
  });
});

describe("query parameters", () => {
  it("the imported package sends a query parameter with JSON content as JSON", () => {
    const found = withParameter({ in: "query", content: { "application/json": { schema: text } } });
    expect(found.losses).toEqual([]);
    expect(found.endpoints[0]?.call.query).toEqual({ p: { style: "json" } });
  });

  it("the public name of an imported query parameter contains no brackets", () => {
    const found = withParameter({ in: "query", name: "page[number]", schema: text });
    expect(found.losses).toEqual([]);
    expect(found.endpoints[0]?.call.query).toEqual({ "page-number": { name: "page[number]" } });
  });
});

it("the importer reports only one loss for a query object that is composed with `allOf`", () => {
  const schema = {
    allOf: [{ type: "object", properties: { page: { type: "integer" } } }],
    properties: { state: { type: "string" } },
  };
  const { losses } = imported({
    "/a": {
      get: {
        parameters: [{ name: "filter", in: "query", schema }],
        responses: { 200: { content: { "application/json": { schema: { type: "string" } } } } },
      },
    },
  });
  expect(losses.map(({ severity }) => severity)).toEqual(["lost"]);
});

it("the importer reports a pattern between slashes, and the imported package does not check the pattern", () => {
  const written = imported({
    "/a": taking(object({ country: { type: "string", pattern: "/^[A-Z]{2}$/" } })),
  });
  expect(written.losses.map(({ effect }) => effect).join()).toContain("slashes");
  expect(accepts(written, { country: "GR" })).toBe(true);
});

it("the importer reports each contradiction and gap of a document with a severity", () => {
  const content = {
    "application/json": { schema: object({ id: { type: "string" } }), example: {} },
  };
  const certificate = { "application/pdf": {}, "application/json": { schema: { type: "string" } } };
  const { losses } = imported({
    "/a": { get: { responses: { 200: { content } } } },
    "/b": {
      post: {
        parameters: [{ name: "Idempotency-Key", in: "header", schema: { type: "string" } }],
        responses: { 201: {} },
      },
    },
    "/c": { get: { responses: { 200: { content: certificate } } } },
  });
  expect(losses.map(({ operation, severity }) => `${operation} ${severity}`)).toEqual([
    "GET /a doubtful",
    "GET /c lost",
    "POST /b doubtful",
  ]);
  for (const { effect } of losses) expect(effect).toMatch(/^[A-Z].+\.$/);
});

it("the importer reports that the imported package sends a comma-separated list of a Swagger 2.0 form in another format", () => {
  const from = documentFile({
    swagger: "2.0",
    info: { title: "A", version: "1" },
    paths: {
      "/a": {
        post: {
          consumes: ["application/x-www-form-urlencoded"],
          parameters: [{ name: "codes", in: "formData", type: "array", items: { type: "string" } }],
          responses: { 204: { description: "" } },
        },
      },
    },
  });
  const { losses } = importProvider({ provider: "provider-x", from, all: true });
  expect(losses.map(({ effect }) => effect)).toEqual([
    "The field codes is sent in OpenAPI's default way instead of in one text.",
  ]);
});

it("the importer reports a text answer with the media type `*/*` as doubtful, because servers send texts without quotes", () => {
  const content = { "*/*": { schema: { type: "string" } } };
  const { losses } = imported({ "/a": { get: { responses: { 200: { content } } } } });
  expect(losses.map(({ severity }) => severity)).toEqual(["doubtful"]);
});
