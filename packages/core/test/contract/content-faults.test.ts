import { describe } from "vitest";
import * as z from "zod/mini";
import { type FileType, none, pdf } from "../../src/contract/index.ts";
import { file, strict, text, zodSchema } from "../../src/schema/index.ts";
import { searchPolicies } from "../harness/declarations.ts";
import { answer, type Declaration, testDeclarations } from "../harness/refused.ts";

const plain = zodSchema<string>(z.string());
const picture = zodSchema(file());
const json = { "application/json": answer };

describe("document declarations", () => {
  const documentWith = (change: object): object => ({
    kind: "document",
    response: {},
    files: [pdf],
    ...change,
  });
  const filed = (change: Partial<FileType>): object =>
    documentWith({ files: [{ ...pdf, ...change }] });
  const extension = (found: string): string =>
    `\`files\`: the extension ${found} must be lower-case letters and digits`;
  const signature = "`files`: a signature must be bytes, written as Latin-1 text";
  const fileName = (found: string): string =>
    `\`fileName\` ${found} must be letters, digits, _ and -, without an extension`;
  const notReady = "`notReady` must be another status than the document's own, such as 202";
  const needed = "a document must have `files`, its possible file types";

  testDeclarations("the declaration of a document", [
    ["one file type", documentWith({})],
    ["two file types", documentWith({ files: [pdf, { ...pdf, mediaType: "image/png" }] })],
    [
      "the same file type twice",
      documentWith({ files: [pdf, pdf] }),
      "`files` has a media type twice",
    ],
    ["an empty list of file types", documentWith({ files: [] }), needed],
    ["no list of file types", documentWith({ files: undefined }), needed],
    [
      "a media type with a parameter",
      filed({ mediaType: "text/csv; header=present" }),
      "`files`: text/csv; header=present must be a media type in lower case, without parameters",
    ],
    [
      "a web page as the file type",
      filed({ mediaType: "application/xhtml+xml" }),
      "`files`: application/xhtml+xml must not be declared, because only a proxy or web server in front of the insurer sends it",
    ],
    ["the longest extension, 10 characters", filed({ extension: "a123456789" })],
    [
      "an extension of 11 characters",
      filed({ extension: "a1234567890" }),
      extension("a1234567890"),
    ],
    ["an extension in capitals", filed({ extension: "PDF" }), extension("PDF")],
    ["an empty extension", filed({ extension: "" }), extension("")],
    ["an extension with a path", filed({ extension: "../pdf" }), extension("../pdf")],
    [
      "a file type without a signature",
      documentWith({ files: [{ mediaType: "a/b", extension: "x" }] }),
    ],
    ["a signature of bytes", filed({ signature: "\u0000\u00ff" })],
    ["an empty signature", filed({ signature: "" }), signature],
    ["a signature with a character above 255", filed({ signature: "\u0100" }), signature],
    ["a file name", documentWith({ fileName: "a_B-1" })],
    ["the longest file name, 100 characters", documentWith({ fileName: "a".repeat(100) })],
    [
      "a file name of 101 characters",
      documentWith({ fileName: "a".repeat(101) }),
      fileName("a".repeat(101)),
    ],
    ["a file name that begins with a dash", documentWith({ fileName: "-a" }), fileName("-a")],
    ["a file name with a quotation mark", documentWith({ fileName: 'a"b' }), fileName('a"b')],
    ["the status 201 for a document that is not ready", documentWith({ notReady: 201 })],
    ["the status 599 for a document that is not ready", documentWith({ notReady: 599 })],
    ["the status 200 for a document that is not ready", documentWith({ notReady: 200 }), notReady],
    ["the status 600 for a document that is not ready", documentWith({ notReady: 600 }), notReady],
    [
      "a fractional status for a document that is not ready",
      documentWith({ notReady: 202.5 }),
      notReady,
    ],
  ]);
});

describe("body declarations", () => {
  const bodied = (body: object): object => ({ method: "POST", body });
  const size = "`body.maxBytes` must be a whole number of bytes, at most 20 MB";
  testDeclarations("the declaration of a request body", [
    ["a schema", bodied(answer)],
    ["a media type with a schema", bodied({ media: json })],
    ["the media type of a web page", bodied({ media: { "text/html": plain } })],
    ["a schema for a GET", { body: answer }, "a GET must not have a body"],
    [
      "an empty list of media types for a GET",
      { body: { media: {} } },
      "a GET must not have a body",
      "`body` needs a media type",
    ],
    ["no media types", bodied({}), "`body` needs a media type"],
    [
      "two malformed media types",
      bodied({ media: { JSON: answer, "a/b/c": answer } }),
      "`body`: JSON must be a media type in lower case, without parameters",
      "`body`: a/b/c must be a media type in lower case, without parameters",
    ],
    ["a maximum of 1 byte", bodied({ media: json, maxBytes: 1 })],
    ["a maximum of 20 MB", bodied({ media: json, maxBytes: 20_971_520 })],
    ["a maximum above 20 MB", bodied({ media: json, maxBytes: 20_971_521 }), size],
    ["a maximum of 0 bytes", bodied({ media: json, maxBytes: 0 }), size],
    ["a maximum of half a byte", bodied({ media: json, maxBytes: 0.5 }), size],
  ]);
});

describe("answer declarations", () => {
  const answering = (response: object): object => ({ response });
  const typed = (...types: readonly string[]): object =>
    answering({ 200: { media: Object.fromEntries(types.map((type) => [type, plain])) } });
  const withHeader = (name: string): object =>
    answering({
      200: { media: json, headers: strict<Record<string, string>>({ [name]: text() }) },
    });
  const success = "`response` must have only success statuses (200 to 299)";
  const notText = "the answer 200 must be JSON, or text of a call that changes nothing";
  const page = (type: string): string =>
    `\`response 200\`: ${type} must not be declared, because only a proxy or web server in front of the insurer sends it`;
  const extra = "only a document has `files`, `fileName` and `notReady`";
  const acting = { kind: "submission", method: "POST" };
  testDeclarations("the declaration of an answer", [
    ["the status 200", answering({ 200: answer })],
    ["the status 299", answering({ 299: answer })],
    ["the status 199", answering({ 199: answer }), success],
    ["the statuses 200 and 300", answering({ 200: answer, 300: answer }), success],
    ["no status", answering({}), "it must declare a success status"],
    ["the status 204 without a body", answering({ 204: none })],
    ["the status 200 without a body", answering({ 200: none })],
    ...[204, 205].map(
      (status): Declaration => [
        `the status ${status} with a JSON body`,
        answering({ [status]: answer }),
        `an answer with ${status} has no body: declare it as \`none\``,
      ],
    ),
    ["plain text or CSV", typed("text/plain", "text/csv")],
    ["text or JSON", typed("text/plain", "application/json")],
    ["text or an image", typed("text/plain", "image/png"), notText],
    ["only an image", typed("image/png"), notText],
    ["an image or JSON", typed("image/png", "application/json")],
    ["a web page", typed("text/html"), page("text/html")],
    [
      "a web page whose schema accepts one fixed text",
      answering({ 200: { media: { "text/html": zodSchema(z.literal("done")) } } }),
    ],
    [
      "an XHTML page or JSON",
      typed("application/xhtml+xml", "application/json"),
      page("application/xhtml+xml"),
    ],
    [
      "a malformed media type beside JSON",
      typed("Text", "application/json"),
      "`response 200`: Text must be a media type in lower case, without parameters",
    ],
    ["text, for a submission", { ...acting, ...typed("text/plain") }, notText],
    [
      "a web page with a fixed text, or JSON, for a submission",
      {
        ...acting,
        ...answering({ 200: { media: { "text/html": zodSchema(z.literal("x")), ...json } } }),
      },
      page("text/html"),
    ],
    [
      "an image or JSON, for a submission",
      {
        ...acting,
        ...answering({ 200: { media: { ...json, "image/png": picture } } }),
      },
      "the answer 200 of a submission is stored as text, and cannot be bytes",
    ],
    ["JSON with a header", withHeader("x-a")],
    ...["etag", "set-cookie", "content-length", "x-request-id", "ratelimit-limit", "location"].map(
      (name): Declaration => [
        `the header ${name}`,
        withHeader(name),
        `\`response 200 headers\`: ${name} is reserved and must not be declared`,
      ],
    ),
    ["a read with `files`", { files: [pdf] }, extra],
    ["a read with `fileName`", { fileName: "a" }, extra],
    ["a read with `notReady`", { notReady: 202 }, extra],
    [
      "a search whose answer is CSV",
      { ...searchPolicies, ...answering({ 200: { media: { "text/csv": plain } } }) },
      notText,
    ],
  ]);
});
