import { expect, it } from "vitest";
import { readReferenceTexts } from "../src/configuration/reference-texts.ts";
import { folderWith } from "./harness/installed-providers.ts";

/** Returns the texts of a package whose reference is this document. */
const textsOf = (document: unknown): ReturnType<typeof readReferenceTexts> =>
  readReferenceTexts(folderWith({ "dist/reference/openapi.json": JSON.stringify(document) }));

it("the MCP server reads the texts of every operation and of the operation's fields from a provider package's OpenAPI document", () => {
  const texts = textsOf({
    paths: {
      "/things": {
        summary: "Not of an operation",
        get: {
          operationId: "searchThings",
          summary: " Finds things ",
          description: "Finds things.\n\nThe newest are first.\n\n\nNo more than a hundred.",
          "x-kind": "search",
          parameters: [
            { in: "query", name: "color", description: "As painted." },
            { in: "path", name: "shelf", description: "Where it is." },
            { in: "header", name: "accept-language", description: "Of the names." },
            { in: "cookie", name: "session", description: "No part of the input." },
            { in: "query", name: "start" },
            { in: "query", name: "undescribed" },
          ],
        },
        post: {
          operationId: "createThing",
          description: " ",
          requestBody: {
            content: {
              "application/json": { schema: { $ref: "#/components/schemas/Thing" } },
              "text/plain": { schema: { description: "Not the first media type." } },
            },
          },
        },
        delete: { summary: "Has no name" },
      },
      "/": { get: { operationId: "readRoot", summary: "Reads the root", description: 7 } },
    },
    components: {
      schemas: {
        Thing: {
          description: "A thing.",
          properties: {
            parts: { items: { $ref: "#/components/schemas/Thing", description: "A part of it." } },
            weight: { $ref: "https://example.com/weight", description: "In grams." },
            nothing: null,
          },
        },
      },
    },
  });
  const { createThing, readRoot, searchThings, ...others } = Object.fromEntries(texts);
  expect(others).toEqual({});
  expect(searchThings).toEqual({
    summary: "Finds things",
    description: "The newest are first.\nNo more than a hundred.",
    fields: new Map([
      ["/query/color", "As painted."],
      ["/params/shelf", "Where it is."],
      ["/headers/accept-language", "Of the names."],
      ["/query/start", expect.stringMatching(/\S/)],
    ]),
  });
  expect(readRoot).toEqual({ summary: "Reads the root", description: null, fields: new Map() });
  expect(createThing).toMatchObject({ summary: null, description: null });
  // A Thing contains parts that are Things, so the schema is recursive. Nine levels are read.
  expect([...(createThing?.fields ?? [])]).toEqual([
    ["/body", "A thing."],
    ["/body/parts/-", "A part of it."],
    ["/body/parts/-/parts/-", "A part of it."],
    ["/body/parts/-/parts/-/parts/-", "A part of it."],
    ["/body/parts/-/parts/-/parts/-/parts/-", "A part of it."],
    ["/body/parts/-/parts/-/parts/-/weight", "In grams."],
    ["/body/parts/-/parts/-/weight", "In grams."],
    ["/body/parts/-/weight", "In grams."],
    ["/body/weight", "In grams."],
  ]);
});

it("the MCP server reads no texts if a package's OpenAPI document is missing or malformed", () => {
  expect(readReferenceTexts(null)).toEqual(new Map());
  expect(readReferenceTexts(folderWith({}))).toEqual(new Map());
  expect(readReferenceTexts(folderWith({ "dist/reference/openapi.json": "{" }))).toEqual(new Map());
  for (const document of [null, {}, { paths: null }, { paths: { "/a": { get: null } } }])
    expect(textsOf(document)).toEqual(new Map());
});
