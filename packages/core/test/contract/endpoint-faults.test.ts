import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { type Endpoint, type FileType, none, pdf } from "../../src/contract/index.ts";
import { file, list, loose, strict, text, zodSchema } from "../../src/schema/index.ts";
import { searchPolicies } from "../harness/declarations.ts";
import { answer, reading, refusalOf } from "../harness/refused.ts";

const plain = zodSchema<string>(z.string());
const picture = zodSchema(file());
const params = strict<{ id: string }>({ id: text() });
const headers = (name: string): object => strict<Record<string, string>>({ [name]: text() });

/** Returns the faults of a read at `/x` with a change; empty if the declaration is accepted. */
function faultsOf(change: object, siblings: object = {}): readonly string[] {
  const declared = { ...reading("/x"), ...change };
  const text = refusalOf({ ...siblings, declared });
  return text === "accepted"
    ? []
    : text.split("\n").map((fault) => fault.replace(/^declared: /, ""));
}

type Case = readonly [name: string, change: object, faults: readonly string[]];

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

  it.each<Case>([
    ["one file type", documentWith({}), []],
    ["two file types", documentWith({ files: [pdf, { ...pdf, mediaType: "image/png" }] }), []],
    [
      "the same file type twice",
      documentWith({ files: [pdf, pdf] }),
      ["`files` has a media type twice"],
    ],
    ["an empty list of file types", documentWith({ files: [] }), [needed]],
    ["no list of file types", documentWith({ files: undefined }), [needed]],
    [
      "a media type with a parameter",
      filed({ mediaType: "text/csv; header=present" }),
      ["`files`: text/csv; header=present must be a media type in lower case, without parameters"],
    ],
    [
      "a web page as the file type",
      filed({ mediaType: "application/xhtml+xml" }),
      [
        "`files`: application/xhtml+xml must not be declared, because only a proxy or web server in front of the insurer sends it",
      ],
    ],
    ["the longest extension, 10 characters", filed({ extension: "a123456789" }), []],
    [
      "an extension of 11 characters",
      filed({ extension: "a1234567890" }),
      [extension("a1234567890")],
    ],
    ["an extension in capitals", filed({ extension: "PDF" }), [extension("PDF")]],
    ["an empty extension", filed({ extension: "" }), [extension("")]],
    [
      "a file type without a signature",
      documentWith({ files: [{ mediaType: "a/b", extension: "x" }] }),
      [],
    ],
    ["a signature of bytes", filed({ signature: "\u0000\u00ff" }), []],
    ["an empty signature", filed({ signature: "" }), [signature]],
    ["a signature with a character above 255", filed({ signature: "\u0100" }), [signature]],
    ["a file name", documentWith({ fileName: "a_B-1" }), []],
    ["the longest file name, 100 characters", documentWith({ fileName: "a".repeat(100) }), []],
    [
      "a file name of 101 characters",
      documentWith({ fileName: "a".repeat(101) }),
      [fileName("a".repeat(101))],
    ],
    ["a file name that begins with a dash", documentWith({ fileName: "-a" }), [fileName("-a")]],
    ["the status 201 for a document that is not ready", documentWith({ notReady: 201 }), []],
    ["the status 599 for a document that is not ready", documentWith({ notReady: 599 }), []],
    [
      "the status 200 for a document that is not ready",
      documentWith({ notReady: 200 }),
      [notReady],
    ],
    [
      "the status 600 for a document that is not ready",
      documentWith({ notReady: 600 }),
      [notReady],
    ],
    [
      "a fractional status for a document that is not ready",
      documentWith({ notReady: 202.5 }),
      [notReady],
    ],
  ])(
    "the declaration check accepts or refuses the declaration of a document: %s",
    (_, change, faults) => {
      expect(faultsOf(change)).toEqual(faults);
    },
  );
});

describe("body declarations", () => {
  const bodied = (body: object): object => ({ method: "POST", body });
  const json = { "application/json": answer };
  const size = "`body.maxBytes` must be a whole number of bytes, at most 20 MB";
  it.each<Case>([
    ["a schema", bodied(answer), []],
    ["a media type with a schema", bodied({ media: json }), []],
    ["the media type of a web page", bodied({ media: { "text/html": plain } }), []],
    ["a schema for a GET", { body: answer }, ["a GET must not have a body"]],
    [
      "an empty list of media types for a GET",
      { body: { media: {} } },
      ["a GET must not have a body", "`body` needs a media type"],
    ],
    ["no media types", bodied({}), ["`body` needs a media type"]],
    [
      "two malformed media types",
      bodied({ media: { JSON: answer, "a/b/c": answer } }),
      [
        "`body`: JSON must be a media type in lower case, without parameters",
        "`body`: a/b/c must be a media type in lower case, without parameters",
      ],
    ],
    ["a maximum of 1 byte", bodied({ media: json, maxBytes: 1 }), []],
    ["a maximum of 20 MB", bodied({ media: json, maxBytes: 20_971_520 }), []],
    ["a maximum above 20 MB", bodied({ media: json, maxBytes: 20_971_521 }), [size]],
    ["a maximum of 0 bytes", bodied({ media: json, maxBytes: 0 }), [size]],
    ["a maximum of half a byte", bodied({ media: json, maxBytes: 0.5 }), [size]],
  ])(
    "the declaration check accepts or refuses the declaration of a request body: %s",
    (_, change, faults) => {
      expect(faultsOf(change)).toEqual(faults);
    },
  );
});

describe("answer declarations", () => {
  const answering = (response: object): object => ({ response });
  const typed = (...types: readonly string[]): object =>
    answering({ 200: { media: Object.fromEntries(types.map((type) => [type, plain])) } });
  const success = "`response` must have only success statuses (200 to 299)";
  const notText = "the answer 200 must be JSON, or text of a call that changes nothing";
  const page = (type: string): string =>
    `\`response 200\`: ${type} must not be declared, because only a proxy or web server in front of the insurer sends it`;
  const extra = "only a document has `files`, `fileName` and `notReady`";
  const acting = { kind: "submission", method: "POST" };
  it.each<Case>([
    ["the status 200", answering({ 200: answer }), []],
    ["the status 299", answering({ 299: answer }), []],
    ["the status 199", answering({ 199: answer }), [success]],
    ["the statuses 200 and 300", answering({ 200: answer, 300: answer }), [success]],
    ["no status", answering({}), ["it must declare a success status"]],
    ["the status 204 without a body", answering({ 204: none }), []],
    ["the status 200 without a body", answering({ 200: none }), []],
    [
      "the status 205 with a JSON body",
      answering({ 205: answer }),
      ["an answer with 205 has no body: declare it as `none`"],
    ],
    ["plain text or CSV", typed("text/plain", "text/csv"), []],
    ["text or JSON", typed("text/plain", "application/json"), []],
    ["text or an image", typed("text/plain", "image/png"), [notText]],
    ["only an image", typed("image/png"), [notText]],
    ["an image or JSON", typed("image/png", "application/json"), []],
    ["a web page", typed("text/html"), [page("text/html")]],
    [
      "a web page whose schema accepts one fixed text",
      answering({ 200: { media: { "text/html": zodSchema(z.literal("done")) } } }),
      [],
    ],
    [
      "an XHTML page or JSON",
      typed("application/xhtml+xml", "application/json"),
      [page("application/xhtml+xml")],
    ],
    [
      "a malformed media type beside JSON",
      typed("Text", "application/json"),
      ["`response 200`: Text must be a media type in lower case, without parameters"],
    ],
    ["text, for a submission", { ...acting, ...typed("text/plain") }, [notText]],
    [
      "a web page with a fixed text, or JSON, for a submission",
      {
        ...acting,
        ...answering({
          200: { media: { "text/html": zodSchema(z.literal("x")), "application/json": answer } },
        }),
      },
      [page("text/html")],
    ],
    [
      "an image or JSON, for a submission",
      {
        ...acting,
        ...answering({ 200: { media: { "application/json": answer, "image/png": picture } } }),
      },
      ["the answer 200 of a submission is stored as text, and cannot be bytes"],
    ],
    [
      "JSON with a header",
      answering({ 200: { media: { "application/json": answer }, headers: headers("x-a") } }),
      [],
    ],
    ...["etag", "set-cookie", "content-length", "x-request-id", "ratelimit-limit"].map(
      (name): Case => [
        `the header ${name}`,
        answering({ 200: { media: { "application/json": answer }, headers: headers(name) } }),
        [`\`response 200 headers\`: ${name} is reserved and must not be declared`],
      ],
    ),
    ["a read with `files`", { files: [pdf] }, [extra]],
    ["a read with `fileName`", { fileName: "a" }, [extra]],
    ["a read with `notReady`", { notReady: 202 }, [extra]],
  ])(
    "the declaration check accepts or refuses the declaration of an answer: %s",
    (_, change, faults) => {
      expect(faultsOf(change)).toEqual(faults);
    },
  );

  it("the declaration check refuses a search whose answer is not JSON", () => {
    const found: Endpoint = {
      ...searchPolicies,
      path: "/found",
      response: { 200: { media: { "text/csv": plain } } },
    };
    expect(refusalOf({ found })).toBe(`found: ${notText}`);
  });
});

describe("parameter declarations", () => {
  const inPath = (path: string, schema: object | undefined): object => ({ path, params: schema });
  const both = "parameters in the path need `params`, and `params` needs parameters in the path";
  const two = strict<{ a: string; b: string }>({ a: text(), b: text() });
  it.each<Case>([
    ["a path parameter", inPath("/x/{id}", params), []],
    ["two path parameters in another order than in `params`", inPath("/x/{b}/{a}", two), []],
    ["`params` for a path without parameters", inPath("/x", params), [both]],
    ["a path parameter without `params`", inPath("/x/{id}", undefined), [both]],
    [
      "the same path parameter twice",
      inPath("/{id}/{id}", params),
      ["the path /{id}/{id} has a parameter twice"],
    ],
    [
      "`params` with other names than the path",
      inPath("/x/{c}/{a}", two),
      ["`params` must have the parameters of the path (a, c), not (a, b)"],
    ],
    [
      "an object and a list in a path",
      inPath(
        "/{a}/{b}",
        strict<{ a: { c: string }; b: string[] }>({
          a: z.strictObject({ c: text() }),
          b: list(text(), { minItems: 1 }),
        }),
      ),
      [
        "`params`: a is an object, which only a query can have",
        "`params`: b is a list, which must be `joined` here",
      ],
    ],
    [
      "an object and a list in a query",
      {
        query: strict<{ a: { c: string }; b: string[]; "a[d]": string }>({
          a: z.strictObject({ c: text() }),
          b: list(text(), { minItems: 1 }),
          "a[d]": text(),
        }),
      },
      [],
    ],
    [
      "an object in a query with a bracket in a field name",
      { query: strict<{ a: { "b]": string } }>({ a: z.strictObject({ "b]": text() }) }) },
      ["`query`: a is an object with a field that cannot be written as a text"],
    ],
    ["a header", { headers: headers("x-agent") }, []],
    [
      "headers without a declared name",
      { headers: loose<object>({}) },
      ["`headers` must be an object with a property for each header"],
    ],
    [
      "headers whose schema is not an object",
      { headers: plain },
      ["`headers` must be an object with a property for each header"],
    ],
    [
      "a header name with a space",
      { headers: headers("x agent") },
      ["`headers`: x agent must be a header's name in lower case"],
    ],
  ])(
    "the declaration check accepts or refuses the declaration of parameters: %s",
    (_, change, faults) => {
      expect(faultsOf(change)).toEqual(faults);
    },
  );
});

describe("endpoint kinds", () => {
  it.each<Case>([
    ["a read with POST", { method: "POST" }, []],
    ["a read with PUT", { method: "PUT" }, ["a read cannot be PUT"]],
    ["a lookup with `perAccount`", { kind: "lookup", perAccount: true }, []],
    [
      "a read with `perAccount`",
      { perAccount: true },
      ["`perAccount` must only be set for a lookup: a read is never shared"],
    ],
    ["a lookup with `freshFor`", { kind: "lookup", freshFor: 60 }, []],
    [
      "a read with `freshFor`",
      { freshFor: 60 },
      ["`freshFor` must only be set for a lookup: a read is never cached"],
    ],
  ])(
    "the declaration check accepts or refuses a setting, depending on the endpoint's kind: %s",
    (_, change, faults) => {
      expect(faultsOf(change)).toEqual(faults);
    },
  );
});

describe("submission declarations", () => {
  const acting = { kind: "submission", method: "POST" };
  const keyed = (keyAt: object): object => ({ ...acting, keyAt });
  const exactly = "`keyAt` must have exactly one of `header`, `query` and `body`";
  const closable = "`closedWhen` needs a JSON Pointer (`at`) and values (`is`)";
  const milliseconds = "`settleAfterMs` must be a whole number of milliseconds, more than 0";
  it.each<Case>([
    ["only a kind and a method", acting, []],
    ...["native", "none"].map(
      (idempotency): Case => [`idempotency "${idempotency}"`, { ...acting, idempotency }, []],
    ),
    [
      "a read with settings of a submission",
      { idempotency: "none", creates: false, sameContent: "once" },
      ["only a submission has `idempotency`, `creates`, `sameContent`"],
    ],
    ["a settle time of 0 ms", { ...acting, settleAfterMs: 0 }, [milliseconds]],
    ["a negative settle time", { ...acting, settleAfterMs: -1 }, [milliseconds]],
    [
      "a settle time above the largest safe integer",
      { ...acting, settleAfterMs: 2 ** 53 },
      [milliseconds],
    ],
    ...["once", "open", "none"].map(
      (sameContent): Case => [`sameContent "${sameContent}"`, { ...acting, sameContent }, []],
    ),
    [
      "an unknown value of `sameContent`",
      { ...acting, sameContent: "twice" },
      ['`sameContent` must be "once", "open" or "none"'],
    ],
    [
      "`creates: true` with the insurer's identifier",
      { ...acting, creates: true, insurerId: "/id" },
      [],
    ],
    ["`creates: false`", { ...acting, creates: false }, []],
    [
      "`creates: true` without the insurer's identifier",
      { ...acting, creates: true },
      ["`creates` needs `insurerId`"],
    ],
    [
      "`closedWhen` with a field and a value",
      { ...acting, closedWhen: { at: "/status", is: ["DECLINED"] } },
      [],
    ],
    [
      "`closedWhen` with a field that is not a JSON Pointer",
      { ...acting, closedWhen: { at: "status", is: ["A"] } },
      [closable],
    ],
    [
      "`closedWhen` without a value",
      { ...acting, closedWhen: { at: "/status", is: [] } },
      [closable],
    ],
    ["an idempotency key in the header idempotency-key", keyed({ header: "idempotency-key" }), []],
    ["an idempotency key in another header", keyed({ header: "x-key" }), []],
    [
      "an idempotency key in a header with capitals",
      keyed({ header: "X-Key" }),
      ["`keyAt`: X-Key must be a header's name in lower case"],
    ],
    ["an idempotency key in the query", keyed({ query: "key" }), []],
    [
      "an idempotency key in the query, without a parameter name",
      keyed({ query: "" }),
      ["`keyAt` needs the name of a parameter"],
    ],
    ["an idempotency key in the body", { ...keyed({ body: "/key" }), body: answer }, []],
    [
      "an idempotency key in the body, not at a JSON Pointer",
      { ...keyed({ body: "key" }), body: answer },
      ["`keyAt` needs a JSON Pointer into a JSON body"],
    ],
    [
      "an idempotency key in a multipart form",
      { ...keyed({ body: "/key" }), body: { media: { "multipart/form-data": answer } } },
      ["`keyAt` needs a JSON Pointer into a JSON body"],
    ],
    ["an idempotency key without a place", keyed({}), [exactly]],
    ["an idempotency key at two places", keyed({ header: "x-key", query: "key" }), [exactly]],
    ["an idempotency key in a cookie", keyed({ cookie: "key" }), [exactly]],
    ["an idempotency key whose header name is a number", keyed({ header: 1 }), [exactly]],
  ])(
    "the declaration check accepts or refuses the declaration of a submission: %s",
    (_, change, faults) => {
      expect(faultsOf(change)).toEqual(faults);
    },
  );

  const reconciling = {
    ...acting,
    path: "/created",
    idempotency: "reconcile",
    insurerId: "/policyId",
    settleAfterMs: 1,
    same: ["/startDate"],
    reconcile: {
      endpoint: "searchPolicies",
      parameters: { clientAfm: { from: "/afm" } },
      createdAt: "/createdAt",
    },
  };
  const { reconcile } = reconciling;
  const needed = "a `reconcile` needs `settleAfterMs` and `insurerId`";
  it.each<Case>([
    ["a complete reconciliation", {}, []],
    ["native idempotency", { idempotency: "native" }, []],
    [
      "no idempotency",
      { idempotency: "none" },
      ['a `reconcile` needs `idempotency: "reconcile"` or `"native"`'],
    ],
    ["no settle time", { settleAfterMs: undefined }, [needed]],
    ["no identifier of the insurer", { insurerId: undefined }, [needed]],
    [
      "a path with a parameter, and `creates: true`",
      { path: "/x/{id}", params, creates: true },
      [],
    ],
    [
      "a path with a parameter, without `creates`",
      { path: "/x/{id}", params },
      [
        "`reconcile` needs `creates: true` if the path has parameters: the call may change the item that they name",
      ],
    ],
    [
      "a PUT",
      { method: "PUT" },
      [
        "only an endpoint with `creates: true` may have `reconcile`: a list does not prove which call changed an item",
      ],
    ],
    ["a PUT with `creates: true`", { method: "PUT", creates: true }, []],
    [
      "a parameter in the search's body that is not a JSON Pointer",
      { reconcile: { ...reconcile, parameters: { "/a~2": { from: "/afm" } } } },
      ["its reconciliation searchPolicies has the parameter /a~2, which must be a JSON Pointer"],
    ],
    [
      "a parameter in the search's body",
      { reconcile: { ...reconcile, parameters: { "/a": { from: "/afm" } } } },
      [],
    ],
    [
      "a parameter whose origin is not a JSON Pointer",
      { reconcile: { ...reconcile, parameters: { clientAfm: { from: "afm" } } } },
      ['its reconciliation has "afm", which must be a JSON Pointer'],
    ],
    [
      "an empty `reconcile`",
      { reconcile: {} },
      [
        "its reconciliation undefined must be a search of the same provider",
        "`reconcile` needs `parameters` for the search, and `same` for the comparison",
        'its reconciliation has "", which must be a JSON Pointer',
      ],
    ],
  ])(
    "the declaration check accepts or refuses the declaration of a submission's reconciliation: %s",
    (_, change, faults) => {
      expect(faultsOf({ ...reconciling, ...change }, { searchPolicies })).toEqual(faults);
    },
  );
});
