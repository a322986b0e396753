import { describe, expect, it } from "vitest";
import { flagValueOf, parseFlagText, type ValueForm } from "../src/call/flag-value.ts";
import { readJsonFile, readUnchangedBody } from "../src/call/input.ts";
import type { JsonSchema } from "../src/call/input-fields.ts";

describe("the value of a flag", () => {
  it.each<readonly [JsonSchema, ValueForm, string, string]>([
    [{ type: "string" }, "text", "text", "text"],
    [{ type: "number" }, "number", "number", "number"],
    [{ type: "integer" }, "number", "integer", "whole number"],
    [{ type: "boolean" }, "boolean", "true|false", "true or false"],
    [{}, "json", "json", "JSON"],
    [{ type: ["string", "integer"] }, "text", "text", "text"],
    [{ type: ["number", "integer"] }, "json", "json", "JSON"],
    [{ type: ["boolean", "integer"] }, "json", "json", "JSON"],
    [{ enum: ["A", 1] }, "text", "text", "one of A, 1"],
    [{ enum: [1, 2], type: "integer" }, "number", "integer", "one of 1, 2"],
    [{ enum: [1, 2] }, "json", "json", "one of 1, 2"],
    [{ const: "A" }, "text", "text", "one of A"],
    [{ const: true, type: "boolean" }, "boolean", "true|false", "one of true"],
    [{ type: "string", format: "uuid", pattern: "x" }, "text", "text", "uuid"],
    [
      { type: "string", pattern: "\\S", minLength: 0 },
      "text",
      "text",
      "text, at least 0 characters, not blank",
    ],
    [
      { type: "number", minimum: 0, maximum: 0 },
      "number",
      "number",
      "number, at least 0, at most 0",
    ],
    [
      { type: "number", exclusiveMinimum: 1, exclusiveMaximum: 2 },
      "number",
      "number",
      "number, more than 1, less than 2",
    ],
    [
      { type: "number", exclusiveMinimum: true } as unknown as JsonSchema,
      "number",
      "number",
      "number",
    ],
    [
      { type: "integer", minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      "number",
      "integer",
      "whole number",
    ],
    [{ type: "object" }, "json", "json", "JSON"],
    [
      { "x-file": { maxBytes: 9 } },
      "file",
      "file",
      "file; add ;type=… if its name does not show the type, at most 9 bytes",
    ],
    [
      { "x-file": { mediaTypes: ["image/png", "image/jpeg"] } },
      "file",
      "file",
      "file; add ;type=… if its name does not show the type, image/png or image/jpeg",
    ],
  ])(
    "the JSON schema of a field determines the form and the description of the field's flag: %j",
    (schema, form, placeholder, description) => {
      expect(flagValueOf(schema)).toMatchObject({
        form,
        placeholder,
        description,
        repeatable: false,
      });
      const many = flagValueOf({ type: "array", items: schema });
      expect(many).toMatchObject({
        form,
        placeholder,
        description: `${description}; repeat the flag for each item`,
        repeatable: true,
      });
    },
  );

  it("a flag expects JSON if the flag's field is a list of lists or a list whose schema does not describe the items", () => {
    const nested = flagValueOf({
      type: "array",
      items: { type: "array", items: { type: "string" } },
    });
    const json = {
      form: "json",
      placeholder: "json",
      description: "JSON",
      repeatable: false,
      mediaTypes: [],
    };
    expect(nested).toEqual(json);
    expect(flagValueOf({ type: "array" })).toEqual(json);
  });
});

describe("the text of a flag", () => {
  it.each<readonly [ValueForm, string, unknown]>([
    ["text", "7", "7"],
    ["number", "7", 7],
    ["number", "-0.5e3", -500],
    ["number", "07", "07"],
    ["number", " 7", " 7"],
    ["number", "7.", "7."],
    ["number", "Infinity", "Infinity"],
    ["boolean", "true", true],
    ["boolean", "false", false],
    ["boolean", "1", "1"],
    ["boolean", "null", "null"],
    ["json", '{"a":1}', { a: 1 }],
    ["json", "{", "{"],
  ])(
    "the text of a flag becomes a value of the expected form, or stays a text if the text does not have this form: form %s, text %s",
    (form, text, value) => {
      expect(parseFlagText(text, { form, mediaTypes: [] })).toEqual(value);
    },
  );

  const images = ["image/png", "image/jpeg"];
  it.each<readonly [string, readonly string[], string, string, string]>([
    ["a/photo.png", images, "image/png", "photo.png", "a/photo.png"],
    ["photo.JPG", images, "image/jpeg", "photo.JPG", "photo.JPG"],
    ["photo.jpeg", images, "image/jpeg", "photo.jpeg", "photo.jpeg"],
    ["photo.gif", images, "application/octet-stream", "photo.gif", "photo.gif"],
    ["scan.bin;type=image/png", images, "image/png", "scan.bin", "scan.bin"],
    ["photo.gif", ["image/png"], "image/png", "photo.gif", "photo.gif"],
    ["photo.png", [], "application/octet-stream", "photo.png", "photo.png"],
    ["a;type=", [], "application/octet-stream", "a;type=", "a;type="],
  ])(
    "the text of a flag that names a file becomes a file with a media type and a name: %s, accepted types %j",
    (text, mediaTypes, mediaType, name, path) => {
      expect(parseFlagText(text, { form: "file", mediaTypes })).toEqual({
        mediaType,
        name,
        content: { path },
      });
    },
  );
});

/** Throws an error whose message is the fault. */
function refuse(fault: string): never {
  throw new Error(fault);
}

describe("an input file that does not exist", () => {
  it("the error for a missing input file names the flag that contains the file's name", async () => {
    const source = { flag: "--query", file: "/nowhere/at-all.json", depth: 9 };
    await expect(readJsonFile(source, refuse)).rejects.toThrow(
      "--query names a file that cannot be read",
    );
    await expect(readUnchangedBody("/nowhere/at-all.txt", "text/plain", refuse)).rejects.toThrow(
      "--body names a file that cannot be read",
    );
    // A PDF file is read only while it is sent.
    expect(await readUnchangedBody("/nowhere/at-all.pdf", "application/pdf", refuse)).toEqual({
      mediaType: "application/pdf",
      content: { path: "/nowhere/at-all.pdf" },
    });
  });
});
