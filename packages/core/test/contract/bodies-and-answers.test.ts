import { describe, expect, it } from "vitest";
import { answerOf, jsonAnswerOf, none, pdf } from "../../src/contract/index.ts";
import {
  answerMediaOf,
  answersOf,
  answerTypes,
  bodyFormatOf,
  bodyMediaOf,
  bodyOf,
  fileNameOf,
  fileTypeOf,
  hasFiles,
  isEmptyAnswer,
  jsonBodyOf,
} from "../../src/runtime.ts";
import { string, zodSchema } from "../../src/schema/index.ts";
import { policy } from "../harness/declarations.ts";

const png = { mediaType: "image/png", extension: "png" };
const text = zodSchema(string());

describe("body declarations", () => {
  it("a declared body is required, is JSON and has no size limit by default", () => {
    expect(bodyOf({})).toBeUndefined();
    const json = { "application/json": policy };
    expect(bodyOf({ body: policy })).toEqual({ required: true, media: json, maxBytes: null });
    const media = { "text/plain": text };
    expect(bodyOf({ body: { media } })).toEqual({ required: true, media, maxBytes: null });
    const body = { required: false, media, maxBytes: 7 };
    expect(bodyOf({ body })).toEqual(body);
  });

  it("a declared body's schema is found by the format of the media type", () => {
    const body = {
      media: { "text/plain": text, "image/png": text, "application/hal+json": policy },
    };
    expect(jsonBodyOf({ body })).toBe(policy);
    expect(jsonBodyOf({ body: { media: { "text/plain": text } } })).toBeUndefined();
    expect(jsonBodyOf({})).toBeUndefined();
    expect(bodyMediaOf({ body }, ["bytes", "text"])).toEqual({
      mediaType: "text/plain",
      schema: text,
    });
    expect(bodyMediaOf({ body }, ["form"])).toBeUndefined();
    expect(bodyMediaOf({}, ["json"])).toBeUndefined();
  });

  it.each([
    ["application/json", "json", false],
    ["application/problem+json", "json", false],
    ["application/json-patch", "bytes", true],
    ["text/json", "text", false],
    ["application/x-www-form-urlencoded", "form", false],
    ["multipart/form-data", "multipart", true],
    ["multipart/mixed", "bytes", true],
    ["text/csv", "text", false],
    ["application/text", "bytes", true],
    ["", "bytes", true],
  ])(
    "a body of the media type %j has the format %s (may contain files: %j)",
    (mediaType, format, files) => {
      const found = bodyFormatOf(mediaType);
      expect([found, hasFiles(found)]).toEqual([format, files]);
    },
  );
});

describe("answer declarations", () => {
  const both = { media: { "text/plain": text, "application/hal+json": policy } };
  const response = { 200: policy, 202: both, 204: none };

  it("the declaration of an answer is found by the answer's status and media type", () => {
    const json = { media: { "application/json": policy } };
    expect(answerOf({ response }, 200)).toEqual(json);
    expect(answerOf({ response }, 202)).toBe(both);
    expect(answerOf({ response }, 201)).toBeUndefined();
    expect(answersOf({ response })).toEqual([
      [200, json],
      [202, both],
      [204, none],
    ]);
    expect([none, both].map(isEmptyAnswer)).toEqual([true, false]);
    expect([none, both].map(jsonAnswerOf)).toEqual([undefined, policy]);
    expect(answerMediaOf(both, "text/plain")).toEqual({ mediaType: "text/plain", schema: text });
    expect(answerMediaOf(both, "application/json")).toEqual({
      mediaType: "application/hal+json",
      schema: policy,
    });
    expect(answerMediaOf(both, "text/csv")).toBeUndefined();
    expect(answerMediaOf(none, "application/json")).toBeUndefined();
  });

  it("the media types of an endpoint's answers are listed without duplicates, with the preferred type first", () => {
    expect(answerTypes({ response })).toEqual([
      "application/json",
      "text/plain",
      "application/hal+json",
    ]);
    expect(answerTypes({ response: { 200: policy, 201: policy } })).toEqual(["application/json"]);
    expect(answerTypes({ response: { 204: none } })).toEqual(["application/json"]);
    expect(answerTypes({ response, files: [pdf, png] })).toEqual(["application/pdf", "image/png"]);
  });

  it("a document's file type is found by the media type, and the document's file name has the extension of the file type", () => {
    const files = [pdf, png] as const;
    expect(fileTypeOf({ files }, "image/png")).toBe(png);
    expect(fileTypeOf({ files }, "image/gif")).toBeUndefined();
    expect(fileTypeOf({}, "image/png")).toBeUndefined();
    expect(fileNameOf({ files })).toBe("document.pdf");
    expect(fileNameOf({ files, fileName: "terms" }, png)).toBe("terms.png");
    expect(fileNameOf({})).toBe("document");
  });
});
