import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { pdf } from "../../src/contract/index.ts";
import { strict, text, zod, zodSchema } from "../../src/schema/index.ts";
import { answer, type Code, reading, refusalOf } from "../harness/refused.ts";

const params = strict<{ id: string }>({ id: text() });
const posted = { method: "POST" };
const filed = { kind: "document", response: {} };
const acting = { kind: "submission", method: "DELETE", idempotency: "none" };

describe("provider declarations", () => {
  // The declarations in the table compile, but could not work over HTTP.
  it.each<[name: string, change: object, fault: string]>([
    [
      "an optional path parameter",
      { path: "/x/{id}", params: strict<{ id?: string }>({ id: z.exactOptional(text()) }) },
      "`params`: id is part of the path, so it cannot be optional",
    ],
    [
      "`params` with another name than the path",
      { path: "/x/{other}", params },
      "`params` must have the parameters of the path (other), not (id)",
    ],
    [
      "a list of objects in the query",
      { query: strict<{ a: Code[] }>({ a: z.array(zod(answer)) }) },
      "`query`: a is a list of items that cannot be written as a text",
    ],
    [
      "a list in the query that may be empty",
      { query: strict<{ a: string[] }>({ a: z.array(z.string()) }) },
      "`query`: a is a list that may be empty, which cannot be written: give it a minLength of 1",
    ],
    [
      "an object in the query that may be empty",
      {
        query: strict<{ a: { b?: string } }>({
          a: z.strictObject({ b: z.exactOptional(z.string()) }),
        }),
      },
      "`query`: a is an object that may be empty, which cannot be written: require a field",
    ],
    [
      "a nested object in the query",
      { query: strict<{ a: { b: Code } }>({ a: z.strictObject({ b: zod(answer) }) }) },
      "`query`: a is an object with a field that cannot be written as a text",
    ],
    [
      "a nullable query parameter",
      { query: strict<{ a: string | null }>({ a: z.nullable(z.string()) }) },
      "`query`: a has a type that cannot be written as a text and read again without a change",
    ],
    [
      "a query parameter that is a text or a number",
      { query: strict<{ a: string | number }>({ a: z.union([z.string(), z.number()]) }) },
      "`query`: a has a type that cannot be written as a text and read again without a change",
    ],
    [
      "a query parameter with the name of another parameter's field",
      {
        query: strict<{ a: { b: string }; "a[b]": string }>({
          a: z.strictObject({ b: z.string() }),
          "a[b]": z.string(),
        }),
      },
      "`query`: a[b] must not be both a parameter and a field of another parameter",
    ],
    [
      "a header name with capitals",
      { headers: strict<{ "X-Agent": string }>({ "X-Agent": text() }) },
      "`headers`: X-Agent must be a header's name in lower case",
    ],
    ...[
      "authorization",
      "cookie",
      "host",
      "forwarded",
      "x-forwarded-for",
      "connection",
      "te",
      "content-type",
      "accept",
      "idempotency-key",
      "x-request-id",
      "traceparent",
    ].map((name): [string, object, string] => [
      `the header ${name}`,
      { headers: strict<Record<string, string>>({ [name]: text() }) },
      `\`headers\`: ${name} is reserved and must not be declared`,
    ]),
    [
      "a header that is a repeated list",
      {
        headers: strict<{ "x-a": string[] }>({ "x-a": z.array(z.string()).check(z.minLength(1)) }),
      },
      "`headers`: x-a is a list, which must be `joined` here",
    ],
    [
      "an answer header reserved for the gateway",
      {
        response: {
          200: {
            media: { "application/json": answer },
            headers: strict<{ location: string }>({ location: text() }),
          },
        },
      },
      "`response 200 headers`: location is reserved and must not be declared",
    ],
    [
      "a body without a media type",
      { ...posted, body: { media: {} } },
      "`body` needs a media type",
    ],
    [
      "a media type with a parameter",
      { ...posted, body: { media: { "application/json; charset=utf-8": answer } } },
      "`body`: application/json; charset=utf-8 must be a media type in lower case, without parameters",
    ],
    [
      "a body of more than 20 MB",
      { ...posted, body: { media: { "application/json": answer }, maxBytes: 20_971_521 } },
      "`body.maxBytes` must be a whole number of bytes, at most 20 MB",
    ],
    [
      "a body for the status 204",
      { response: { 204: answer } },
      "an answer with 204 has no body: declare it as `none`",
    ],
    [
      "an answer that is only an image",
      { response: { 200: { media: { "image/png": answer } } } },
      "the answer 200 must be JSON, or text of a call that changes nothing",
    ],
    [
      "an HTML answer whose schema accepts any text",
      { response: { 200: { media: { "text/html": zodSchema<string>(z.string()) } } } },
      "`response 200`: text/html must not be declared, because only a proxy or web server in front of the insurer sends it",
    ],
    [
      "a file name in a read",
      { fileName: "terms" },
      "only a document has `files`, `fileName` and `notReady`",
    ],
    ["a paging in a quote", { paging: {} }, "only a search has `paging`"],
    [
      "a document without files",
      { ...filed, files: [] },
      "a document must have `files`, its possible file types",
    ],
    [
      "a document of the type HTML",
      { ...filed, files: [{ mediaType: "text/html", extension: "html" }] },
      "`files`: text/html must not be declared, because only a proxy or web server in front of the insurer sends it",
    ],
    [
      "a file extension with a path",
      { ...filed, files: [{ mediaType: "application/pdf", extension: "../pdf" }] },
      "`files`: the extension ../pdf must be lower-case letters and digits",
    ],
    [
      "a file name with a quotation mark",
      { ...filed, files: [pdf], fileName: 'a"b' },
      '`fileName` a"b must be letters, digits, _ and -, without an extension',
    ],
    [
      "the status 200 for a document that is not ready",
      { ...filed, files: [pdf], notReady: 200 },
      "`notReady` must be another status than the document's own, such as 202",
    ],
    [
      "an idempotency key's place in a read",
      { keyAt: { header: "x-key" } },
      "only a submission has `keyAt`",
    ],
    [
      "an idempotency key in a reserved header",
      { ...acting, keyAt: { header: "authorization" } },
      "`keyAt`: authorization is reserved and must not be declared",
    ],
    [
      "an idempotency key in the body of a submission without a body",
      { ...acting, keyAt: { body: "/reference" } },
      "`keyAt` needs a JSON Pointer into a JSON body",
    ],
  ])(
    "the declaration check refuses an endpoint that could not work over HTTP: %s",
    (_, change, fault) => {
      const declared = { ...reading("/x"), ...change };
      expect(refusalOf({ declared })).toBe(`declared: ${fault}`);
    },
  );

  it.each<[row: object, fault: string]>([
    [
      { status: "4xx" },
      "a family of statuses needs the insurer's own error format: `media` or `at`",
    ],
    [
      { status: [400, 401], at: "/code" },
      '401 needs `media`, `at` and `is`, because a proxy may send this status, too; list the insurer\'s own codes: `is: ["MTR-1042"]`, or `["MTR-####"]` with # for any digit',
    ],
    [{ media: "text/html" }, "`media` must not be HTML, because a page proves nothing"],
    [{ media: "JSON" }, "`media` JSON must be a media type in lower case, without parameters"],
    [{ at: "code" }, "`at` code must be a JSON Pointer"],
    [{ is: ["LIMIT"] }, "`is` needs codes, and `at` with the place of the code in the answer"],
    [{ status: 99 }, '`status` must be a status from 200 to 599, several of them, or "4xx"'],
    [
      { code: "VALIDATION_FAILED" },
      "the code VALIDATION_FAILED must be one of the codes for insurers' error answers",
    ],
    [
      { outcome: "not_sent" },
      "the code CONFLICT must not have the outcome not_sent for a call that does not act at the insurer",
    ],
    [
      { outcome: "unknown" },
      "the code CONFLICT must not have the outcome unknown for a call that does not act at the insurer",
    ],
    [{ why: " " }, "`why` must state a reason"],
  ])(
    "the declaration check refuses an invalid failure row of an endpoint or of the provider: %j",
    (change, fault) => {
      const row = {
        status: 400,
        code: "CONFLICT",
        outcome: "rejected",
        why: "It says so.",
        ...change,
      };
      const declared = { ...reading("/x"), failures: [row] };
      expect(refusalOf({ declared })).toBe(`declared: \`failures\` row 1: ${fault}`);
      expect(refusalOf({ declared: reading("/x") }, "provider-m", { failures: [row] })).toBe(
        `\`failures\` row 1: ${fault}`,
      );
    },
  );

  it("the failure rows of a submission may have the outcome `unknown`, and may match 4xx answers by the insurer's own codes", () => {
    const rows = [
      { status: 500, at: "/code", code: "CONFLICT", outcome: "unknown", why: "It may have acted." },
      {
        status: "4xx",
        media: "application/json",
        at: "/code",
        is: ["E-1042", "1042"],
        code: "INVALID_INPUT",
        outcome: "rejected",
        why: "It says so.",
      },
    ];
    expect(refusalOf({ declared: { ...reading("/x"), ...acting, failures: rows } })).toBe(
      "accepted",
    );
  });
});
