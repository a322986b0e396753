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

/** Every fault of a read at `/x` that is changed so; [] if it is accepted. */
function faultsOf(change: object, siblings: object = {}): readonly string[] {
  const declared = { ...reading("/x"), ...change };
  const text = refusalOf({ ...siblings, declared });
  return text === "accepted"
    ? []
    : text.split("\n").map((fault) => fault.replace(/^declared: /, ""));
}

type Case = readonly [name: string, change: object, faults: readonly string[]];

describe("the declared document", () => {
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
  const needed = "a document needs `files`: the types that it can have";

  it.each<Case>([
    ["of one type", documentWith({}), []],
    ["of two types", documentWith({ files: [pdf, { ...pdf, mediaType: "image/png" }] }), []],
    ["of one type twice", documentWith({ files: [pdf, pdf] }), ["`files` has a media type twice"]],
    ["of no type", documentWith({ files: [] }), [needed]],
    ["without types", documentWith({ files: undefined }), [needed]],
    [
      "of a type with a parameter",
      filed({ mediaType: "text/csv; header=present" }),
      ["`files`: text/csv; header=present must be a media type in lower case, without parameters"],
    ],
    [
      "of a web page",
      filed({ mediaType: "application/xhtml+xml" }),
      [
        "`files`: application/xhtml+xml is what a proxy or web server in front of an insurer answers, never the insurer",
      ],
    ],
    ["with the longest extension", filed({ extension: "a123456789" }), []],
    ["with a longer one", filed({ extension: "a1234567890" }), [extension("a1234567890")]],
    ["with an extension in capitals", filed({ extension: "PDF" }), [extension("PDF")]],
    ["without an extension", filed({ extension: "" }), [extension("")]],
    ["without a signature", documentWith({ files: [{ mediaType: "a/b", extension: "x" }] }), []],
    ["with a signature of bytes", filed({ signature: "\u0000\u00ff" }), []],
    ["with an empty signature", filed({ signature: "" }), [signature]],
    ["with a signature of other characters", filed({ signature: "\u0100" }), [signature]],
    ["with a name", documentWith({ fileName: "a_B-1" }), []],
    ["with the longest name", documentWith({ fileName: "a".repeat(100) }), []],
    [
      "with a longer name",
      documentWith({ fileName: "a".repeat(101) }),
      [fileName("a".repeat(101))],
    ],
    ["with a name that begins with a dash", documentWith({ fileName: "-a" }), [fileName("-a")]],
    ["that is not ready with 201", documentWith({ notReady: 201 }), []],
    ["that is not ready with 599", documentWith({ notReady: 599 }), []],
    ["that is not ready with 200", documentWith({ notReady: 200 }), [notReady]],
    ["that is not ready with 600", documentWith({ notReady: 600 }), [notReady]],
    ["that is not ready with half a status", documentWith({ notReady: 202.5 }), [notReady]],
  ])("%s has the faults", (_, change, faults) => {
    expect(faultsOf(change)).toEqual(faults);
  });
});

describe("the declared body", () => {
  const bodied = (body: object): object => ({ method: "POST", body });
  const json = { "application/json": answer };
  const size = "`body.maxBytes` must be a whole number of bytes, at most 20 MB";
  it.each<Case>([
    ["as a schema", bodied(answer), []],
    ["by its type", bodied({ media: json }), []],
    ["as a web page", bodied({ media: { "text/html": plain } }), []],
    ["of a GET", { body: answer }, ["a GET has no body"]],
    [
      "of a GET, by its type",
      { body: { media: {} } },
      ["a GET has no body", "`body` needs a media type"],
    ],
    ["without types", bodied({}), ["`body` needs a media type"]],
    [
      "of two odd types",
      bodied({ media: { JSON: answer, "a/b/c": answer } }),
      [
        "`body`: JSON must be a media type in lower case, without parameters",
        "`body`: a/b/c must be a media type in lower case, without parameters",
      ],
    ],
    ["of one byte", bodied({ media: json, maxBytes: 1 }), []],
    ["of 20 MB", bodied({ media: json, maxBytes: 20_971_520 }), []],
    ["of more", bodied({ media: json, maxBytes: 20_971_521 }), [size]],
    ["of no bytes", bodied({ media: json, maxBytes: 0 }), [size]],
    ["of half a byte", bodied({ media: json, maxBytes: 0.5 }), [size]],
  ])("%s has the faults", (_, change, faults) => {
    expect(faultsOf(change)).toEqual(faults);
  });
});

describe("the declared answer", () => {
  const answering = (response: object): object => ({ response });
  const typed = (...types: readonly string[]): object =>
    answering({ 200: { media: Object.fromEntries(types.map((type) => [type, plain])) } });
  const success = "`response` holds success statuses (200 to 299) only";
  const notText = "the answer 200 must be JSON, or text of a call that changes nothing";
  const page = (type: string): string =>
    `\`response 200\`: ${type} is what a proxy or web server in front of an insurer answers, never the insurer`;
  const extra = "only a document has `files`, `fileName` and `notReady`";
  const acting = { kind: "submission", method: "POST" };
  it.each<Case>([
    ["with 200", answering({ 200: answer }), []],
    ["with 299", answering({ 299: answer }), []],
    ["with 199", answering({ 199: answer }), [success]],
    ["with 300, beside 200", answering({ 200: answer, 300: answer }), [success]],
    ["with no status", answering({}), ["it declares no success status"]],
    ["with 204 and nothing", answering({ 204: none }), []],
    ["with 200 and nothing", answering({ 200: none }), []],
    [
      "with 205 and JSON",
      answering({ 205: answer }),
      ["an answer with 205 has no body: declare it as `none`"],
    ],
    ["of text", typed("text/plain", "text/csv"), []],
    ["of text and JSON", typed("text/plain", "application/json"), []],
    ["of text and bytes", typed("text/plain", "image/png"), [notText]],
    ["of bytes", typed("image/png"), [notText]],
    ["of bytes and JSON", typed("image/png", "application/json"), []],
    ["of a web page", typed("text/html"), [page("text/html")]],
    [
      "of a web page that its schema knows",
      answering({ 200: { media: { "text/html": zodSchema(z.literal("done")) } } }),
      [],
    ],
    [
      "of a web page of another name, beside JSON",
      typed("application/xhtml+xml", "application/json"),
      [page("application/xhtml+xml")],
    ],
    [
      "of an odd type, beside JSON",
      typed("Text", "application/json"),
      ["`response 200`: Text must be a media type in lower case, without parameters"],
    ],
    ["of text, of a submission", { ...acting, ...typed("text/plain") }, [notText]],
    [
      "of a known web page and JSON, of a submission",
      {
        ...acting,
        ...answering({
          200: { media: { "text/html": zodSchema(z.literal("x")), "application/json": answer } },
        }),
      },
      [page("text/html")],
    ],
    [
      "of bytes and JSON, of a submission",
      {
        ...acting,
        ...answering({ 200: { media: { "application/json": answer, "image/png": picture } } }),
      },
      ["the answer 200 of a submission is stored as text, and cannot be bytes"],
    ],
    [
      "with headers",
      answering({ 200: { media: { "application/json": answer }, headers: headers("x-a") } }),
      [],
    ],
    ...["etag", "set-cookie", "content-length", "x-request-id", "ratelimit-limit"].map(
      (name): Case => [
        `with the header ${name}`,
        answering({ 200: { media: { "application/json": answer }, headers: headers(name) } }),
        [`\`response 200 headers\`: ${name} is not an endpoint's to declare`],
      ],
    ),
    ["with files", { files: [pdf] }, [extra]],
    ["with a file's name", { fileName: "a" }, [extra]],
    ["with a status of a document", { notReady: 202 }, [extra]],
  ])("%s has the faults", (_, change, faults) => {
    expect(faultsOf(change)).toEqual(faults);
  });

  it("the declared answer of a search must be JSON", () => {
    const found: Endpoint = {
      ...searchPolicies,
      path: "/found",
      response: { 200: { media: { "text/csv": plain } } },
    };
    expect(refusalOf({ found })).toBe(`found: ${notText}`);
  });
});

describe("the declared parameters", () => {
  const inPath = (path: string, schema: object | undefined): object => ({ path, params: schema });
  const both = "parameters in the path need `params`, and `params` needs parameters in the path";
  const two = strict<{ a: string; b: string }>({ a: text(), b: text() });
  it.each<Case>([
    ["of a path", inPath("/x/{id}", params), []],
    ["of a path in another order", inPath("/x/{b}/{a}", two), []],
    ["that are missing in the path", inPath("/x", params), [both]],
    ["that are missing beside the path", inPath("/x/{id}", undefined), [both]],
    [
      "that are twice in the path",
      inPath("/{id}/{id}", params),
      ["the path /{id}/{id} has a parameter twice"],
    ],
    [
      "of another path",
      inPath("/x/{c}/{a}", two),
      ["its path has the parameters (a, c), and `params` has (a, b)"],
    ],
    [
      "of a path, as an object and a list",
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
      "of a query, as an object and a list",
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
      "of a query, as a name in brackets",
      { query: strict<{ a: { "b]": string } }>({ a: z.strictObject({ "b]": text() }) }) },
      ["`query`: a is an object with a field that cannot be written as a text"],
    ],
    ["of headers", { headers: headers("x-agent") }, []],
    [
      "of headers without a name",
      { headers: loose<object>({}) },
      ["`headers` must be an object with a property for each header"],
    ],
    [
      "of headers that are no object",
      { headers: plain },
      ["`headers` must be an object with a property for each header"],
    ],
    [
      "of headers with an odd name",
      { headers: headers("x agent") },
      ["`headers`: x agent must be a header's name in lower case"],
    ],
  ])("%s have the faults", (_, change, faults) => {
    expect(faultsOf(change)).toEqual(faults);
  });
});

describe("the declared kind", () => {
  it.each<Case>([
    ["of a read with POST", { method: "POST" }, []],
    ["of a read with PUT", { method: "PUT" }, ["a read cannot be PUT"]],
    ["of a lookup for one broker", { kind: "lookup", perAccount: true }, []],
    [
      "of a read for one broker",
      { perAccount: true },
      ["`perAccount` is for a lookup, and a read is never shared"],
    ],
    ["of a fresh lookup", { kind: "lookup", freshFor: 60 }, []],
    [
      "of a fresh read",
      { freshFor: 60 },
      ["`freshFor` is only for a lookup; a read is never cached"],
    ],
  ])("%s has the faults", (_, change, faults) => {
    expect(faultsOf(change)).toEqual(faults);
  });
});

describe("the declared outcome", () => {
  const acting = { kind: "submission", method: "POST" };
  const keyed = (keyAt: object): object => ({ ...acting, keyAt });
  const exactly = "`keyAt` must have exactly one of `header`, `query` and `body`";
  const closable = "`closedWhen` needs a JSON Pointer (`at`) and values (`is`)";
  const milliseconds = "`settleAfterMs` must be a whole number of milliseconds, more than 0";
  it.each<Case>([
    ["of a submission", acting, []],
    ...["native", "none"].map(
      (idempotency): Case => [`that is ${idempotency}`, { ...acting, idempotency }, []],
    ),
    [
      "of a read",
      { idempotency: "none", creates: false, sameContent: "once" },
      ["only a submission has `idempotency`, `creates`, `sameContent`"],
    ],
    ["that settles at once", { ...acting, settleAfterMs: 0 }, [milliseconds]],
    ["that settles before it was sent", { ...acting, settleAfterMs: -1 }, [milliseconds]],
    [
      "that settles after an unsafe number of milliseconds",
      { ...acting, settleAfterMs: 2 ** 53 },
      [milliseconds],
    ],
    ...["once", "open", "none"].map(
      (sameContent): Case => [`of content that is ${sameContent}`, { ...acting, sameContent }, []],
    ),
    [
      "of content that is anything else",
      { ...acting, sameContent: "twice" },
      ['`sameContent` must be "once", "open" or "none"'],
    ],
    ["that creates", { ...acting, creates: true, insurerId: "/id" }, []],
    ["that creates nothing", { ...acting, creates: false }, []],
    [
      "that creates without an identifier",
      { ...acting, creates: true },
      ["`creates` needs `insurerId`"],
    ],
    ["that can be closed", { ...acting, closedWhen: { at: "/status", is: ["DECLINED"] } }, []],
    [
      "that is closed by a field without a place",
      { ...acting, closedWhen: { at: "status", is: ["A"] } },
      [closable],
    ],
    [
      "that is closed by no value",
      { ...acting, closedWhen: { at: "/status", is: [] } },
      [closable],
    ],
    ["with a key in the usual header", keyed({ header: "idempotency-key" }), []],
    ["with a key in a header", keyed({ header: "x-key" }), []],
    [
      "with a key in a header of capitals",
      keyed({ header: "X-Key" }),
      ["`keyAt`: X-Key must be a header's name in lower case"],
    ],
    ["with a key in the query", keyed({ query: "key" }), []],
    [
      "with a key in the query, without a name",
      keyed({ query: "" }),
      ["`keyAt` needs the name of a parameter"],
    ],
    ["with a key in the body", { ...keyed({ body: "/key" }), body: answer }, []],
    [
      "with a key nowhere in the body",
      { ...keyed({ body: "key" }), body: answer },
      ["`keyAt` needs a JSON Pointer into a JSON body"],
    ],
    [
      "with a key in a form",
      { ...keyed({ body: "/key" }), body: { media: { "multipart/form-data": answer } } },
      ["`keyAt` needs a JSON Pointer into a JSON body"],
    ],
    ["with a key without a place", keyed({}), [exactly]],
    ["with a key at two places", keyed({ header: "x-key", query: "key" }), [exactly]],
    ["with a key at an odd place", keyed({ cookie: "key" }), [exactly]],
    ["with a key of no name", keyed({ header: 1 }), [exactly]],
  ])("%s has the faults", (_, change, faults) => {
    expect(faultsOf(change)).toEqual(faults);
  });

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
    ["is complete", {}, []],
    ["is native", { idempotency: "native" }, []],
    [
      "is none",
      { idempotency: "none" },
      ['a `reconcile` needs `idempotency: "reconcile"` or `"native"`'],
    ],
    ["has no time to settle", { settleAfterMs: undefined }, [needed]],
    ["has no identifier", { insurerId: undefined }, [needed]],
    ["is below a path and says that it creates", { path: "/x/{id}", params, creates: true }, []],
    [
      "is below a path",
      { path: "/x/{id}", params },
      [
        "a `reconcile` needs `creates: true` if the path has parameters: it may change what they name",
      ],
    ],
    [
      "is of a PUT",
      { method: "PUT" },
      [
        "only an endpoint that `creates` has a `reconcile`: a list does not prove what changed an item",
      ],
    ],
    ["is of a PUT that creates", { method: "PUT", creates: true }, []],
    [
      "searches in a body by a place that is none",
      { reconcile: { ...reconcile, parameters: { "/a~2": { from: "/afm" } } } },
      ["its reconciliation searchPolicies has the parameter /a~2, which is no JSON Pointer"],
    ],
    [
      "searches in a body",
      { reconcile: { ...reconcile, parameters: { "/a": { from: "/afm" } } } },
      [],
    ],
    [
      "has parameters from nowhere",
      { reconcile: { ...reconcile, parameters: { clientAfm: { from: "afm" } } } },
      ['its reconciliation has "afm", which is no JSON Pointer'],
    ],
    [
      "has nothing",
      { reconcile: {} },
      [
        "its reconciliation undefined must be a search of the same provider",
        "a `reconcile` needs `parameters`, which it searches for, and `same`, which is compared",
        'its reconciliation has "", which is no JSON Pointer',
      ],
    ],
  ])("the declared outcome whose reconciliation %s has the faults", (_, change, faults) => {
    expect(faultsOf({ ...reconciling, ...change }, { searchPolicies })).toEqual(faults);
  });
});
