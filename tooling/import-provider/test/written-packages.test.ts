import { check } from "@insurance-gateway/core/contract";
import { type JsonSchema, operationsOf, type ProviderDocument } from "@insurance-gateway/reference";
import { expect, it, onTestFinished } from "vitest";
import { importProvider } from "../src/import-provider.ts";
import { loadWritten } from "../src/load-written.ts";
import { createSchemaOf } from "../src/schemas/zod-of.ts";
import { importedPackages } from "./imported-packages.ts";
import { answering, documentFile, imported, taking } from "./sample.ts";

/** Imports a document with one path and returns the contract that the package's build writes. */
async function contractOf(
  item: object,
  schemas: Readonly<Record<string, unknown>> = {},
): Promise<ProviderDocument> {
  const from = {
    openapi: "3.1.0",
    info: { title: "A", version: "1" },
    paths: { "/a": { ...item } },
    components: { schemas },
  };
  const { packages, remove } = importedPackages([{ from, all: true }]);
  onTestFinished(remove);
  return loadWritten(packages[0]?.folder ?? "");
}

/** Returns the alternatives of the only union, each as its component. */
function alternativesOf(document: ProviderDocument): readonly JsonSchema[] {
  const { schemas } = document.components;
  const union = Object.values(schemas).find((one) => (one.anyOf ?? one["oneOf"]) !== undefined);
  const listed = (union?.anyOf ?? union?.["oneOf"] ?? []) as readonly JsonSchema[];
  return listed.map(({ $ref = "" }) => schemas[$ref.split("/").at(-1) ?? ""] ?? {});
}

const object = (properties: object, rest: object = {}): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...rest,
});

/** Alternatives whose field `sum` differs in its type and description. */
const sums = {
  anyOf: [
    object(
      { sum: { type: "string", description: "In euros." } },
      { description: "A motor policy." },
    ),
    object(
      { sum: { type: "integer", description: "In cents." } },
      { description: "A life policy." },
    ),
  ],
};

it.each([
  ["an answer", answering(sums)],
  ["a request", taking(sums)],
])(
  "alternatives of a union that have the same field names keep separate descriptions and field types in %s",
  async (_, item) => {
    const [motor, life] = alternativesOf(await contractOf(item));
    expect(motor).toMatchObject({
      description: "A motor policy.",
      properties: { sum: { type: "string", description: "In euros." } },
    });
    expect(life).toMatchObject({
      description: "A life policy.",
      properties: { sum: { type: "integer", description: "In cents." } },
    });
  },
);

it("alternatives of a union whose list fields have the same name keep separate types for the items", async () => {
  const list = (name: string): object =>
    object({ owners: { type: "array", items: { $ref: `#/components/schemas/${name}` } } });
  const document = await contractOf(taking({ oneOf: [list("Person"), list("Company")] }), {
    Person: object({ afm: { type: "string" } }),
    Company: object({ gemi: { type: "string" } }),
  });
  const owners = alternativesOf(document).map(({ properties }) => properties?.["owners"]?.items);
  expect(owners).toEqual(
    ["Person", "Company"].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  );
});

it("the build of an imported package writes a contract for nine types that all refer to one another", async () => {
  const names = Array.from({ length: 9 }, (_, index) => `Shape${index + 1}`);
  const any = { oneOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) };
  const shapes = names.map((name) => {
    const kind = { type: "string", enum: [name] };
    const properties = { kind, inner: any, all: { type: "array", items: any } };
    return [name, { type: "object", required: ["kind"], properties }];
  });
  const document = await contractOf(answering(any), Object.fromEntries(shapes));
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names));
});

it("the build of an imported package writes a contract in which each map keeps the limits of the map's values", async () => {
  const map = (rules: object): object => ({
    type: "object",
    additionalProperties: { type: "string", ...rules },
  });
  const maps = { any: map({}), short: map({ maxLength: 9 }), filled: map({ minLength: 1 }) };
  const { components } = await contractOf(answering(object(maps)));
  const [answer] = Object.values(components.schemas);
  const values = Object.values(answer?.properties ?? {}).map((one) => one["additionalProperties"]);
  expect(values).toMatchObject([{}, { maxLength: 9 }, { minLength: 1 }]);
});

it("the build of an imported package writes a contract for an enum with the alternatives empty text and null", async () => {
  const cover = {
    oneOf: [{ $ref: "#/components/schemas/Cover" }, { enum: [""] }, { type: "null" }],
  };
  const plain = { $ref: "#/components/schemas/Cover" };
  const document = await contractOf(taking(object({ cover, plain })), {
    Cover: { type: "string", enum: ["FULL", "BASIC"] },
  });
  expect(document.components.schemas["Cover"]).toMatchObject({ enum: ["FULL", "BASIC"] });
});

it("the build of an imported package writes a contract for a document endpoint without parameters", async () => {
  const content = { "application/pdf": { schema: { type: "string", format: "binary" } } };
  const document = await contractOf({
    get: { operationId: "readTerms", responses: { 200: { description: "", content } } },
  });
  expect(operationsOf(document).map(({ operation }) => operation.operationId)).toEqual([
    "readTerms",
  ]);
});

it("the contract of an imported package contains the descriptions of a map's values", async () => {
  const values = object({ sum: { type: "string", description: "In euros." } });
  const document = await contractOf(answering({ type: "object", additionalProperties: values }));
  expect(JSON.stringify(document)).toContain("In euros.");
});

/** Reports whether the only request of an import accepts a body. */
function accepts(written: ReturnType<typeof imported>, body: unknown): boolean {
  const [endpoint] = written.endpoints;
  const definition = endpoint?.body?.media[0]?.definition;
  return definition !== undefined && check(createSchemaOf()(definition), body).valid;
}

it("an imported parent schema that lists child schemas becomes a union of the child schemas", async () => {
  const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
  const child = (properties: object): object => ({
    allOf: [reference("Risk"), { type: "object", properties }],
  });
  const document = await contractOf(answering(reference("Risk")), {
    Risk: object(
      { kind: { type: "string" } },
      {
        discriminator: {
          propertyName: "kind",
          mapping: { CAR: "#/components/schemas/Car", HOME: "#/components/schemas/Home" },
        },
        oneOf: [reference("Car"), reference("Home")],
      },
    ),
    Car: child({ plate: { type: "string" } }),
    Home: child({ area: { type: "number" } }),
  });
  const [car, home] = alternativesOf(document);
  expect(Object.keys(car?.properties ?? {})).toEqual(["kind", "plate"]);
  expect(Object.keys(home?.properties ?? {})).toEqual(["kind", "area"]);
});

it.each([
  ["a description", { description: "The parent." }],
  ["null", { nullable: true }],
  ["a type", { type: "object" }],
])(
  "an imported schema that refers to itself through `allOf` remains recursive if the `allOf` also contains %s",
  async (_, beside) => {
    const parent = { allOf: [{ $ref: "#/components/schemas/Node" }, beside] };
    const node = {
      type: "object",
      required: ["id"],
      properties: { id: { type: "string" }, parent },
    };
    const { schemas: written } = (
      await contractOf(answering({ $ref: "#/components/schemas/Node" }), { Node: node })
    ).components;
    const deepest = Object.values(written).find(({ properties }) => properties?.["parent"]);
    expect(JSON.stringify(deepest?.properties?.["parent"])).toContain("#/components/schemas/Node");
  },
);

it("a percent-encoded reference and a plain reference to the same schema become the same imported type", async () => {
  const name = "Result«Quote»";
  const answers = (reference: string): object => answering({ $ref: reference });
  const { endpoints } = imported(
    {
      "/a": answers(`#/components/schemas/${encodeURIComponent(name)}`),
      "/b": answers(`#/components/schemas/${name}`),
    },
    { [name]: object({ id: { type: "string" } }) },
  );
  const [a, b] = endpoints.map(({ answers: [first] }) => first?.media?.[0]?.definition);
  expect(a).toBeDefined();
  expect(a).toBe(b);
});

it("the importer reads unquoted codes and version numbers in YAML as texts and keeps zeros at the start and end", () => {
  const from = documentFile(
    `openapi: 3.0
info: { title: Codes, version: 1.10 }
paths:
  /cover:
    post:
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, properties: { code: { type: string, enum: [01, 10] } } } } }
      responses: { 204: { description: "" } }
`,
    "codes.yaml",
  );
  const written = importProvider({ provider: "provider-x", from, all: true });
  expect(written.version).toBe("1.10");
  expect(accepts(written, { code: "01" })).toBe(true);
  expect(accepts(written, { code: "1" })).toBe(false);
});

it("a request of an imported package may contain the fields of several `anyOf` alternatives", () => {
  const need = (name: string): object => ({
    required: [name],
    properties: { [name]: { type: "string" } },
  });
  const schema = {
    type: "object",
    properties: { name: { type: "string" } },
    anyOf: [need("email"), need("phone")],
  };
  const written = imported({ "/a": taking(schema) });
  expect(accepts(written, { name: "a", email: "b", phone: "c" })).toBe(true);
  expect(accepts(written, { phone: "c" })).toBe(true);
  expect(accepts(written, { name: "a" })).toBe(false);
  expect(accepts(written, { email: "b", other: "c" })).toBe(false);
});

it("an `anyOf` alternative that does not declare a field accepts each type that other alternatives declare for the field", () => {
  const alternative = (name: string, x: object): object => ({
    type: "object",
    required: [name],
    properties: { [name]: { type: "string" }, ...x },
  });
  const anyOf = [
    alternative("a", {}),
    alternative("b", { x: { type: "string" } }),
    alternative("c", { x: { type: "integer" } }),
  ];
  const written = imported({ "/a": taking({ anyOf }) });
  for (const x of ["1", 1]) expect(accepts(written, { a: "a", x })).toBe(true);
  expect(accepts(written, { a: "a", x: true })).toBe(false);
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

it("each field of an optional query object becomes a separate query parameter of the imported package", () => {
  const fields = { page: { type: "integer" }, sort: { type: "array", items: { type: "string" } } };
  const { endpoints, losses } = imported({
    "/a": {
      get: {
        parameters: [
          {
            name: "pageable",
            in: "query",
            required: true,
            schema: { type: "object", properties: fields },
          },
          {
            name: "filter",
            in: "query",
            style: "deepObject",
            schema: { type: "object", properties: { state: { type: "string" } } },
          },
        ],
        responses: { 200: { content: { "application/json": { schema: { type: "string" } } } } },
      },
    },
  });
  expect(losses).toEqual([]);
  const query = endpoints[0]?.query?.node;
  const named = query?.type === "object" ? query.fields : [];
  expect(named.map(({ name }) => name)).toEqual(["page", "sort", "filter-state"]);
  expect(endpoints[0]?.call.query).toEqual({ "filter-state": { name: "filter[state]" } });
});

it("an imported form has no null values, and a file inside a JSON field of the form is a text", () => {
  const schema = object({
    note: { type: "string", nullable: true },
    doc: object({ file: { type: "string", format: "binary" } }),
  });
  const written = imported({
    "/a": {
      post: {
        requestBody: { required: true, content: { "multipart/form-data": { schema } } },
        responses: { 204: {} },
      },
    },
  });
  expect(accepts(written, { note: "a", doc: { file: "b" } })).toBe(true);
  expect(accepts(written, { note: null, doc: { file: "b" } })).toBe(false);
  expect(written.losses.map(({ effect }) => effect)).toEqual([
    "A form cannot have null: the field needs a value.",
  ]);
});

it("the imported package accepts only the documented media types for the files of a form", () => {
  const schema = object({ photos: { type: "array", items: { type: "string", format: "binary" } } });
  const encoding = { photos: { contentType: "image/jpeg, image/png" } };
  const written = imported({
    "/a": {
      post: {
        requestBody: { required: true, content: { "multipart/form-data": { schema, encoding } } },
        responses: { 204: {} },
      },
    },
  });
  const photo = (mediaType: string): object => ({ mediaType, content: new Uint8Array() });
  expect(accepts(written, { photos: [photo("image/png")] })).toBe(true);
  expect(accepts(written, { photos: [photo("text/plain")] })).toBe(false);
  expect(written.losses).toEqual([]);
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

it("the importer reports a comma-separated list in a Swagger 2.0 form, which the package sends differently", () => {
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

it("a field or parameter with a simple schema has the schema's description and default in the contract", async () => {
  const link = { type: "string", description: "Where it is.", default: "https://x" };
  const document = await contractOf(
    {
      get: {
        parameters: [
          {
            name: "size",
            in: "query",
            description: "Items.",
            schema: { type: "integer", default: 30 },
          },
        ],
        ...Object(
          Reflect.get(answering(object({ link: { $ref: "#/components/schemas/Link" } })), "get"),
        ),
      },
    },
    { Link: link },
  );
  const text = JSON.stringify(document);
  expect(text).toContain("Items.\\nDefault: `30`.");
  expect(text).toContain("Where it is.\\nDefault: `https://x`.");
});

it("the type of a named schema, and parameters of this type, have the schema's default and deprecation in the contract", async () => {
  const lang = { type: "string", enum: ["el", "en"], default: "el", description: "A language." };
  const reference = { $ref: "#/components/schemas/Lang" };
  const old = { ...object({ lang: reference }), deprecated: true, default: { lang: "el" } };
  const document = await contractOf(
    {
      get: {
        parameters: [{ name: "lang", in: "query", schema: reference }],
        ...Object(Reflect.get(answering({ $ref: "#/components/schemas/Old" }), "get")),
      },
    },
    { Lang: lang, Old: old },
  );
  const texts = "A language.\nDefault: `el`.";
  const [parameter] = operationsOf(document)[0]?.operation.parameters ?? [];
  expect(parameter?.description).toBe(texts);
  const { Lang, Old } = document.components.schemas;
  expect(Lang?.description).toBe(texts);
  expect(Old?.description).toBe('Deprecated by the insurer.\nDefault: `{"lang":"el"}`.');
});

it("the contract of an imported package contains the descriptions of headers and of alternatives without fields", async () => {
  const alternatives = [
    { type: "string", enum: [""], description: "Without a position." },
    { type: "number", description: "Degrees." },
    { type: "boolean" },
  ];
  const document = await contractOf({
    get: {
      responses: {
        200: {
          description: "",
          headers: { "X-Total": { description: "All of them.", schema: { type: "integer" } } },
          content: {
            "application/json": { schema: object({ longitude: { oneOf: alternatives } }) },
          },
        },
      },
    },
  });
  const [answer] = Object.values(operationsOf(document)[0]?.operation.responses ?? {});
  expect(answer?.headers?.["x-total"]).toMatchObject({ description: "All of them." });
  const texts = '- `""`: Without a position.\n- Degrees.';
  expect(JSON.stringify(document)).toContain(JSON.stringify(texts).slice(1, -1));
});

it("the generated example of a file body has the body's media type", () => {
  const content = { "application/cbor": { schema: { type: "string", format: "binary" } } };
  const { examples } = imported({
    "/a": { post: { requestBody: { required: true, content }, responses: { 204: {} } } },
  });
  expect([...examples.values()]).toMatchObject([
    { request: { body: { mediaType: "application/cbor" } } },
  ]);
});

it("the importer reports a text answer with the media type `*/*` as doubtful, because servers send texts without quotes", () => {
  const content = { "*/*": { schema: { type: "string" } } };
  const { losses } = imported({ "/a": { get: { responses: { 200: { content } } } } });
  expect(losses.map(({ severity }) => severity)).toEqual(["doubtful"]);
});

it("the generated example of a text is valid for the text's format", () => {
  const formats = ["duration", "ipv6", "guid", "time"];
  const fields = formats.map((format) => [format, { type: "string", format }]);
  const { examples } = imported({ "/a": taking(object(Object.fromEntries(fields))) });
  const [example] = examples.values();
  expect(example?.request).toEqual({
    body: {
      duration: "P1D",
      ipv6: "2001:db8::1",
      guid: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
      time: "08:00:00Z",
    },
  });
});

it("the contract of an imported package lists the known values of an open text, and the package accepts other values", async () => {
  const fields = { kind: { type: "string", "x-extensible-enum": ["CAR", "BOAT"] } };
  for (const item of [taking(object(fields)), answering(object(fields))])
    expect(JSON.stringify((await contractOf(item)).components.schemas)).toContain(
      '"x-extensible-enum":["CAR","BOAT"]',
    );
  expect(accepts(imported({ "/a": taking(object(fields)) }), { kind: "PLANE" })).toBe(true);
});

it("the generated example of a text matches the text's pattern even if the imported package does not check the pattern", () => {
  const emails = { type: "string", pattern: "^\\S{1,100}@\\S{1,100}$" };
  const { examples, losses } = imported({ "/a": taking(object({ emails })) });
  expect(losses).toMatchObject([{ effect: expect.stringMatching(/pattern is not checked/) }]);
  expect(JSON.stringify([...examples.values()])).toMatch(/"emails":"[^"]+@[^"]+"/);
});

it("the contract of an imported package contains the description of a body without fields", async () => {
  const schema = { type: "object", description: "Any JSON." };
  const { components } = await contractOf(taking(schema));
  expect(JSON.stringify(components.schemas)).toContain('"description":"Any JSON."');
});

it("the contract of an imported package contains every format of requests and answers", async () => {
  const formats: readonly (readonly [string, string])[] = [
    ["integer", "int32"],
    ["number", "double"],
    ["number", "money"],
    ["string", "yyyy-MM-dd HH:mm"],
  ];
  const fields = Object.fromEntries(
    formats.map(([type, format], index) => [`f${index}`, { type, format }]),
  );
  for (const item of [taking(object(fields)), answering(object(fields))]) {
    const { components } = await contractOf(item);
    const found = Object.values(components.schemas).find(({ properties }) => properties?.f0);
    const published = Object.values(found?.properties ?? {}).map(({ format, type }) => [
      type,
      format,
    ]);
    expect(published).toEqual(formats);
  }
});

it("the imported package checks the formats int32, email and uri in requests", () => {
  const written = imported({
    "/a": taking(
      object({
        count: { type: "integer", format: "int32" },
        mail: { type: "string", format: "email" },
        link: { type: "string", format: "uri" },
      }),
    ),
  });
  const fitting = { count: 1, mail: "a@b.gr", link: "https://b.gr/α?x=1" };
  expect(accepts(written, fitting)).toBe(true);
  for (const wrong of [{ count: 2 ** 31 }, { mail: "ab.gr" }, { link: "b.gr/x" }])
    expect(accepts(written, { ...fitting, ...wrong })).toBe(false);
});
