import { operationsOf } from "@insurance-gateway/reference";
import { expect, it } from "vitest";
import { importProvider } from "../src/import-provider.ts";
import { accepts, documentFile, imported, object, taking } from "./sample.ts";
import { contractOf } from "./written-contract.ts";

it("the build of an imported package writes a contract for a document endpoint without parameters", async () => {
  const content = { "application/pdf": { schema: { type: "string", format: "binary" } } };
  const document = await contractOf({
    get: { operationId: "readTerms", responses: { 200: { description: "", content } } },
  });
  expect(operationsOf(document).map(({ operation }) => operation.operationId)).toEqual([
    "readTerms",
  ]);
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
