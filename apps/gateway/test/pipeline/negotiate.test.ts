import { document, type Endpoint, pdf, read } from "@insurance-gateway/core/contract";
import type { BodyDeclaration } from "@insurance-gateway/core/runtime";
import { Refusal } from "@insurance-gateway/core/runtime";
import { file, loose, strict, zodSchema } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { negotiateMediaTypes } from "../../src/pipeline/negotiate.ts";

const provider = "provider-x";
const thing = strict<{ a: string }>({ a: z.string() });
const photo = strict<{ photo: unknown }>({ photo: file() });
const asking = (body?: BodyDeclaration): Endpoint =>
  read<{ body: unknown; response: { id: string } }>({
    provider,
    method: "POST",
    path: "/x",
    response: { 200: loose<{ id: string }>({ id: z.string() }) },
    // An endpoint that declares no body accepts no body.
    ...(body === undefined ? {} : { body }),
  } as never);
const json = { media: { "application/json": thing } };

/** Returns the expected body and the accepted media types of a request. */
function negotiated(endpoint: Endpoint, headers: Record<string, string>): unknown {
  try {
    const { accept, body } = negotiateMediaTypes(endpoint, headers, 1_000);
    return [body === null ? null : [body.mediaType, body.contentType, body.limitBytes], accept];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.code}: ${error.details.detail}`;
  }
}

const type = (contentType: string, more: object = {}): Record<string, string> => ({
  "content-type": contentType,
  ...more,
});
const sendJson = "UNSUPPORTED_MEDIA_TYPE: Send Content-Type: application/json, in UTF-8.";

const endpoints = {
  "no body": asking(),
  JSON: asking(json),
  "optional JSON": asking({ ...json, required: false }),
  "a little JSON": asking({ ...json, maxBytes: 7 }),
  "a form or JSON": asking({
    media: { "multipart/form-data": photo, "application/json": thing },
  }),
  files: asking({
    media: { "multipart/form-data": photo, "application/pdf": zodSchema(file()) },
  }),
  "a document": document<{ query: { id: string } }>({
    provider,
    path: "/file",
    query: strict<{ id: string }>({ id: z.string() }),
    files: [pdf, { mediaType: "image/png", extension: "png" }],
    fileName: "x",
  }),
} satisfies Readonly<Record<string, Endpoint>>;

describe("the headers of a request", () => {
  it.each<[keyof typeof endpoints, Record<string, string>, unknown]>([
    ["no body", {}, [null, null]],
    ["no body", { "content-length": "0" }, [null, null]],
    ["no body", { "content-length": "1" }, "INVALID_REQUEST: This endpoint takes no body."],
    [
      "no body",
      { "transfer-encoding": "chunked" },
      "INVALID_REQUEST: This endpoint takes no body.",
    ],
    ["JSON", type("application/json"), [["application/json", "application/json", 1_000], null]],
    [
      "JSON",
      type(' Application/JSON ; charset="UTF-8"'),
      [["application/json", ' Application/JSON ; charset="UTF-8"', 1_000], null],
    ],
    ["JSON", type("application/json; charset=iso-8859-7"), sendJson],
    ["JSON", type("application/json; charset=utf-8; version=1"), sendJson],
    ["JSON", type("text/json"), sendJson],
    ["JSON", {}, sendJson],
    [
      "JSON",
      type("application/json", { "content-encoding": "gzip" }),
      "UNSUPPORTED_MEDIA_TYPE: Send the body as it is, without Content-Encoding.",
    ],
    [
      "JSON",
      type("application/json", { "content-encoding": "identity" }),
      [["application/json", "application/json", 1_000], null],
    ],
    ["optional JSON", {}, [null, null]],
    ["optional JSON", type("text/plain"), sendJson],
    [
      "a little JSON",
      type("application/json"),
      [["application/json", "application/json", 7], null],
    ],
    [
      "a form or JSON",
      type("multipart/form-data; boundary=x"),
      [["multipart/form-data", "multipart/form-data; boundary=x", 20_971_520], null],
    ],
    [
      "a form or JSON",
      type("text/plain"),
      "UNSUPPORTED_MEDIA_TYPE: Send Content-Type: multipart/form-data or application/json, in UTF-8.",
    ],
    [
      "files",
      type("text/plain"),
      "UNSUPPORTED_MEDIA_TYPE: Send Content-Type: multipart/form-data or application/pdf.",
    ],
    ["no body", { accept: " " }, [null, null]],
    ["no body", { accept: "application/*;q=0.5, text/html" }, [null, null]],
    [
      "no body",
      { accept: "text/html" },
      "NOT_ACCEPTABLE: This endpoint answers with application/json; accept one of them, or send no Accept header.",
    ],
    [
      "a document",
      { accept: "application/pdf;q=0.5, image/png" },
      [null, ["image/png", "application/pdf"]],
    ],
  ])(
    "the gateway reads the expected body and the accepted media types from a request, or refuses the request: endpoint with %s, headers %j",
    (name, headers, expected) => {
      expect(negotiated(endpoints[name], headers)).toEqual(expected);
    },
  );
});
