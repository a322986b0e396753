import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import {
  contractVersion,
  defineProvider,
  type Endpoint,
  type EndpointKind,
  kindPolicies,
  lookup,
  none,
  pathParameters,
  pdf,
  providerFaults,
  read,
  submission,
} from "../src/contract/index.ts";
import { loose, sealed, strict, text, zod } from "../src/schema/index.ts";
import {
  cancelPolicy,
  createPolicy,
  downloadTerms,
  listBrands,
  policy,
  policyRequest,
  providerM,
  searchPolicies,
} from "./harness/declarations.ts";

interface Code {
  code: string;
}
const answer = loose<Code>({ code: text() });
const params = strict<{ id: string }>({ id: text() });

/** A read at a path, with the one parameter that it may have. */
function reading(path: string): Endpoint {
  const declared = { provider: "provider-m", path, response: { 200: answer } };
  const [name] = pathParameters(path);
  if (name === undefined) return read<{ response: Code }>(declared);
  const schema = strict<Record<string, string>>({ [name]: text() });
  return read<{ params: Record<string, string>; response: Code }>({ ...declared, params: schema });
}

const posted = { method: "POST" };
const filed = { kind: "document", response: {} };
const acting = { kind: "submission", method: "DELETE", idempotency: "none" };

/** Declares a provider of these endpoints and gives its faults, or that it is accepted. */
function refusalOf(endpoints: object, id = "provider-m", more: object = {}): string {
  const provider = { id, name: "Provider M", lines: ["motor"], endpoints, ...more };
  return providerFaults(defineProvider(provider)).join("\n") || "accepted";
}

describe("a declaration", () => {
  it("is data: what was declared, with the method its kind begins with, and cannot be changed", () => {
    expect(createPolicy).toEqual({
      kind: "submission",
      method: "POST",
      provider: "provider-m",
      path: "/policies",
      body: policyRequest,
      response: { 201: policy },
      idempotency: "reconcile",
      reconcile: {
        endpoint: "searchPolicies",
        parameters: { clientAfm: { from: "/holder/afm" } },
        same: ["/startDate", "/endDate"],
        createdAt: "/createdAt",
      },
      settleAfterMs: 60_000,
      insurerId: "/policyId",
    });
    expect(Object.isFrozen(createPolicy)).toBe(true);
  });

  it.each<[EndpointKind, readonly string[], boolean]>([
    ["lookup", ["GET"], false],
    ["read", ["GET", "POST"], false],
    ["search", ["GET", "POST"], false],
    ["document", ["GET", "POST"], false],
    ["quote", ["POST", "GET"], false],
    ["submission", ["POST", "PUT", "PATCH", "DELETE"], true],
  ])("of kind %s may be %j, and acts at the insurer: %s", (kind, methods, acts) => {
    expect(kindPolicies[kind]).toMatchObject({ methods, actsAtInsurer: acts });
  });

  it("of a search answers 200 with a page of items", () => {
    expect(searchPolicies).toMatchObject({ kind: "search", method: "GET" });
    expect(Object.keys(searchPolicies.response)).toEqual(["200"]);
  });

  it("of a document names its file and has no answer of JSON", () => {
    expect(downloadTerms.files).toMatchObject([{ mediaType: "application/pdf", extension: "pdf" }]);
    expect(downloadTerms.fileName).toBe("terms");
    expect(downloadTerms.response).toEqual({});
  });
});

describe("a provider", () => {
  it("holds its endpoints by name and the version of the contract, and cannot be changed", () => {
    expect(providerM).toMatchObject({ contract: contractVersion, id: "provider-m" });
    expect(providerM.endpoints.listBrands).toBe(listBrands);
    expect(Object.isFrozen(providerM)).toBe(true);
    expect(Object.isFrozen(providerM.endpoints)).toBe(true);
  });

  it("is refused with every fault of its declaration at once", () => {
    const provider = "provider-m";
    const response = { 200: answer };
    const endpoints = {
      foreign: lookup<{ response: { code: string } }>({
        provider: "provider-z",
        path: "/foreign",
        response,
      }),
      first: lookup<{ response: { code: string } }>({ provider, path: "/same", response }),
      second: lookup<{ response: { code: string } }>({ provider, path: "/same", response }),
      withBody: { ...listBrands, path: "/body", body: policyRequest },
      wrongMethod: { ...listBrands, path: "/method", method: "POST" },
      withoutParams: lookup<{ response: { code: string } }>({
        provider,
        path: "/things/{id}",
        response,
      }),
      needlessParams: read<{ params: { id: string }; response: { code: string } }>({
        provider,
        path: "/needless",
        params,
        response,
      }),
      redirect: lookup<{ response: { code: string } }>({
        provider,
        path: "/redirect",
        response: { 302: answer },
      }),
      silent: lookup<{ response: { code: string } }>({ provider, path: "/silent", response: {} }),
      badPath: lookup<{ response: { code: string } }>({ provider, path: "no slash", response }),
      lost: {
        ...createPolicy,
        path: "/lost",
        reconcile: { ...createPolicy.reconcile, endpoint: "nowhere" },
      },
      misled: {
        ...createPolicy,
        path: "/misled",
        reconcile: { ...createPolicy.reconcile, endpoint: "first" },
      },
      blind: { ...cancelPolicy, path: "/blind/{policyId}", idempotency: "reconcile" },
      hasty: { ...createPolicy, path: "/hasty", settleAfterMs: Number.NaN },
      idle: { ...listBrands, path: "/idle", insurerId: "/code" },
      vague: {
        ...createPolicy,
        path: "/vague",
        idempotency: "none",
        insurerId: "policyId",
        settleAfterMs: 1.5,
        reconcile: { endpoint: "needlessParams", parameters: {}, same: ["/a~2"], createdAt: "" },
      },
      halved: { ...createPolicy, path: "/halved", insurerId: undefined, idempotency: "once" },
      nothing: { helper: true },
    };
    expect(refusalOf(endpoints).split("\n")).toEqual([
      "foreign: it belongs to provider-z",
      "second and first are both GET /same",
      "withBody: a GET has no body",
      "wrongMethod: a lookup cannot be POST",
      "withoutParams: parameters in the path need `params`, and `params` needs parameters in the path",
      "needlessParams: parameters in the path need `params`, and `params` needs parameters in the path",
      "redirect: `response` holds success statuses (200 to 299) only",
      "silent: it declares no success status",
      "badPath: the path no slash must be segments or {parameters}, beginning with /; a parameter is a letter, then letters, digits, _ and -, one in a segment",
      "lost: its reconciliation nowhere must be a search of the same provider",
      "misled: its reconciliation first must be a search of the same provider",
      'blind: `idempotency: "reconcile"` needs a `reconcile`',
      "hasty: `settleAfterMs` must be a whole number of milliseconds",
      "hasty: its reconciliation searchPolicies must be a search of the same provider",
      "idle: only a submission has `insurerId`",
      'vague: a `reconcile` needs `idempotency: "reconcile"` or `"native"`',
      "vague: `settleAfterMs` must be a whole number of milliseconds",
      "vague: `insurerId` policyId is no JSON Pointer",
      "vague: its reconciliation needlessParams must be a search of the same provider",
      "vague: its reconciliation must say what is searched for (`parameters`) and what is compared (`same`)",
      'vague: its reconciliation has "", which is no JSON Pointer',
      'vague: its reconciliation has "/a~2", which is no JSON Pointer',
      'halved: `idempotency` must be "native", "reconcile" or "none"',
      'halved: a `reconcile` needs `idempotency: "reconcile"` or `"native"`',
      "halved: a `reconcile` needs `settleAfterMs` and `insurerId`",
      "halved: its reconciliation searchPolicies must be a search of the same provider",
      "nothing: it is no endpoint",
    ]);
  });

  describe("whose templates one request could match", () => {
    it.each([
      ["/things/{id}", "/things/{other}"],
      ["/things/{id}", "/things/{id}.pdf"],
      ["/things/{id}:cancel", "/things/{id}"],
      ["/things/v{id}", "/things/{id}.pdf"],
      ["/things/new/{id}", "/things/{id}/lines"],
      ["/{id}/new/lines", "/old/{id}/lines"],
    ])("%s and %s is refused, and both are named", (one, two) => {
      expect(refusalOf({ one: reading(one), two: reading(two) })).toContain(
        `two and one match the same requests: GET ${two} and GET ${one}`,
      );
    });

    it.each([
      ["/things/{id}", "/things/new"],
      ["/things/{id}.pdf", "/things/{id}.csv"],
      ["/things/{id}.pdf", "/things/terms.pdf"],
      ["/things/{id}/lines", "/things/new/lines"],
      ["/things/{id}", "/things/{id}/lines"],
      ["/things/{id}.pdf", "/things/.pdf"],
      ["/things/{id}", "/things/"],
      ["/things", "/things/"],
      ["/things/{id}/", "/things/{id}"],
      ["/", "/{id}"],
    ])("%s and %s is not: one is the more literal, or none fits both", (one, two) => {
      expect(refusalOf({ one: reading(one), two: reading(two) })).toBe("accepted");
    });

    it("is not refused where the parameter in the place of the first literal cannot be that literal", () => {
      const id = z.string().check(z.regex(/^[0-9a-f]{8}$/));
      const lines: Endpoint = {
        ...reading("/things/{id}/lines"),
        params: strict<{ id: string }>({ id }),
      };
      expect(refusalOf({ one: reading("/things/new/{code}"), lines })).toBe("accepted");
      expect(refusalOf({ lines, two: reading("/things/new/{code}") })).toBe("accepted");
      expect(refusalOf({ lines, three: reading("/things/0a1b2c3d/{code}") })).toContain(
        "three and lines match the same requests",
      );
      // The first literal decides which route is found, so that a later one changes nothing.
      const code: Endpoint = {
        ...reading("/things/new/{code}"),
        params: strict<{ code: string }>({ code: id }),
      };
      expect(refusalOf({ one: reading("/things/{id}/lines"), code })).toContain(
        "code and one match the same requests",
      );
    });

    it("is not refused where the methods differ, whatever the parameters are called", () => {
      const cancel = submission<{ params: { policy_id: string }; response: undefined }>({
        provider: "provider-m",
        method: "DELETE",
        path: "/things/{policy_id}",
        params: strict<{ policy_id: string }>({ policy_id: text() }),
        response: { 204: none },
      });
      expect(refusalOf({ one: reading("/things/{id}"), cancel })).toBe("accepted");
    });
  });

  it.each(["/", "/things/", "/things/{id}/"])("may have the path %s", (path) => {
    expect(refusalOf({ declared: reading(path) })).toBe("accepted");
  });

  it.each(["{id", "/x", "{1d}", "{a}{b}", "{a}-{b}", "a*", "a b", "..", ".", "{a/b}", "%41"])(
    "is refused with the segment %s in a path",
    (segment) => {
      const declared = { ...reading("/x"), path: `/things/${segment}`, params };
      expect(refusalOf({ declared })).toContain("must be segments or {parameters}");
    },
  );

  // What compiles and would never work on the wire.
  it.each<[name: string, change: object, fault: string]>([
    [
      "a parameter that may be left out of its path",
      { path: "/x/{id}", params: strict<{ id?: string }>({ id: z.exactOptional(text()) }) },
      "`params`: id stands in the path, and cannot be left out",
    ],
    [
      "a parameter that the path does not have",
      { path: "/x/{other}", params },
      "its path has the parameters (other), and `params` has (id)",
    ],
    [
      "a list of objects in the query",
      { query: strict<{ a: Code[] }>({ a: z.array(zod(answer)) }) },
      "`query`: a is a list of what cannot be written as a text",
    ],
    [
      "a list that may be empty",
      { query: strict<{ a: string[] }>({ a: z.array(z.string()) }) },
      "`query`: a is a list that may be empty, which cannot be written: give it a minLength of 1",
    ],
    [
      "an object that may be empty",
      {
        query: strict<{ a: { b?: string } }>({
          a: z.strictObject({ b: z.exactOptional(z.string()) }),
        }),
      },
      "`query`: a is an object that may be empty, which cannot be written: require a field",
    ],
    [
      "an object in an object",
      { query: strict<{ a: { b: Code } }>({ a: z.strictObject({ b: zod(answer) }) }) },
      "`query`: a is an object with a field that cannot be written as a text",
    ],
    [
      "null in the query",
      { query: strict<{ a: string | null }>({ a: z.nullable(z.string()) }) },
      "`query`: a is of a type that cannot be written as a text and read as the same value",
    ],
    [
      "a text or a number",
      { query: strict<{ a: string | number }>({ a: z.union([z.string(), z.number()]) }) },
      "`query`: a is of a type that cannot be written as a text and read as the same value",
    ],
    [
      "a parameter that is a field of another one",
      {
        query: strict<{ a: { b: string }; "a[b]": string }>({
          a: z.strictObject({ b: z.string() }),
          "a[b]": z.string(),
        }),
      },
      "`query`: a[b] is a parameter, and a field of another one",
    ],
    [
      "a header with capitals",
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
      `\`headers\`: ${name} is not an endpoint's to declare`,
    ]),
    [
      "a header that is a repeated list",
      {
        headers: strict<{ "x-a": string[] }>({ "x-a": z.array(z.string()).check(z.minLength(1)) }),
      },
      "`headers`: x-a is a list, which must be `joined` here",
    ],
    [
      "an answer's header that is the gateway's",
      {
        response: {
          200: {
            media: { "application/json": answer },
            headers: strict<{ location: string }>({ location: text() }),
          },
        },
      },
      "`response 200 headers`: location is not an endpoint's to declare",
    ],
    [
      "a body without a media type",
      { ...posted, body: { media: {} } },
      "`body` needs a media type",
    ],
    [
      "a media type that is none",
      { ...posted, body: { media: { "application/json; charset=utf-8": answer } } },
      "`body`: application/json; charset=utf-8 must be a media type in lower case, without parameters",
    ],
    [
      "a body of more than 20 MB",
      { ...posted, body: { media: { "application/json": answer }, maxBytes: 20_971_521 } },
      "`body.maxBytes` must be a whole number of bytes, at most 20 MB",
    ],
    [
      "a 204 with a body",
      { response: { 204: answer } },
      "an answer with 204 has no body: declare it as `none`",
    ],
    [
      "an answer of bytes alone",
      { response: { 200: { media: { "image/png": answer } } } },
      "the answer 200 must be JSON, or text of a call that changes nothing",
    ],
    [
      "an answer in HTML that could be any page",
      { response: { 200: { media: { "text/html": sealed<string>(z.string()) } } } },
      "`response 200`: text/html is what stands before an insurer answers with, and never its answer",
    ],
    [
      "a read with a file's name",
      { fileName: "terms" },
      "only a document has `files`, `fileName` and `notReady`",
    ],
    ["a quote that is paged", { paging: {} }, "only a search has `paging`"],
    [
      "a document without files",
      { ...filed, files: [] },
      "a document needs `files`: the types that it can have",
    ],
    [
      "a document that is HTML",
      { ...filed, files: [{ mediaType: "text/html", extension: "html" }] },
      "`files`: text/html is what stands before an insurer answers with, and never its answer",
    ],
    [
      "an extension that leads elsewhere",
      { ...filed, files: [{ mediaType: "application/pdf", extension: "../pdf" }] },
      "`files`: the extension ../pdf must be lower-case letters and digits",
    ],
    [
      "a file's name that leads elsewhere",
      { ...filed, files: [pdf], fileName: 'a"b' },
      '`fileName` a"b must be letters, digits, _ and -, without an extension',
    ],
    [
      "a document that is not ready when it is",
      { ...filed, files: [pdf], notReady: 200 },
      "`notReady` must be another status than the document's own, such as 202",
    ],
    [
      "a read that says where its key travels",
      { keyAt: { header: "x-key" } },
      "only a submission has `keyAt`",
    ],
    ["a read that may be repeated", { repeatable: true }, "only a submission has `repeatable`"],
    [
      "a key in a header that is taken",
      { ...acting, keyAt: { header: "authorization" } },
      "`keyAt`: authorization is not an endpoint's to declare",
    ],
    [
      "a key in a body that is none",
      { ...acting, keyAt: { body: "/reference" } },
      "`keyAt` needs a JSON Pointer into a JSON body",
    ],
  ])("is refused with %s", (_, change, fault) => {
    const declared = { ...reading("/x"), ...change };
    expect(refusalOf({ declared }).split("\n")).toContain(`declared: ${fault}`);
  });

  it.each<[row: object, fault: string]>([
    [
      { status: "4xx" },
      "a family of statuses needs the insurer's own error format: `media` or `at`",
    ],
    [
      { status: [400, 401], at: "/code" },
      "a row for 401 or 403 needs `media`, `at` and `is`: others than the insurer answer so, too",
    ],
    [{ media: "text/html" }, "an HTML page proves nothing"],
    [{ media: "JSON" }, "`media` JSON must be a media type in lower case, without parameters"],
    [{ at: "code" }, "`at` code is no JSON Pointer"],
    [{ is: ["LIMIT"] }, "`is` needs codes, and `at`, which says where they are"],
    [{ status: 99 }, '`status` must be a status from 200 to 599, several of them, or "4xx"'],
    [{ code: "VALIDATION_FAILED" }, "the code VALIDATION_FAILED is not one of a refusal"],
    [
      { outcome: "not_sent" },
      "CONFLICT never means not_sent of a call that does not act at the insurer",
    ],
    [
      { outcome: "unknown" },
      "CONFLICT never means unknown of a call that does not act at the insurer",
    ],
    [{ why: " " }, "it needs a reason: `why`"],
  ])("is refused with the row %j of its failures, its own or an endpoint's", (change, fault) => {
    const row = {
      status: 400,
      code: "CONFLICT",
      outcome: "rejected",
      why: "It says so.",
      ...change,
    };
    const declared = { ...reading("/x"), failures: [row] };
    expect(refusalOf({ declared })).toContain(`declared: \`failures\` row 1: ${fault}`);
    expect(refusalOf({ declared: reading("/x") }, "provider-m", { failures: [row] })).toContain(
      `\`failures\` row 1: ${fault}`,
    );
  });

  it("may have rows that leave a submission's outcome open, and a family in the insurer's own format", () => {
    const rows = [
      { status: 500, at: "/code", code: "CONFLICT", outcome: "unknown", why: "It may have acted." },
      {
        status: "4xx",
        media: "application/json",
        code: "INVALID_INPUT",
        outcome: "rejected",
        why: "It says so.",
      },
    ];
    expect(refusalOf({ declared: { ...reading("/x"), ...acting, failures: rows } })).toBe(
      "accepted",
    );
  });

  it("is refused with settings that are no schema", () => {
    expect(refusalOf({}, "provider-m", { settings: { tenant: "acme" } })).toContain(
      "`settings` must be a schema",
    );
  });

  it("may have one path with several methods", () => {
    expect(refusalOf({ createPolicy, searchPolicies })).toBe("accepted");
  });

  it.each(["Provider-M", "", "provider/m", "1provider", "provider m"])(
    "is refused with the id %j",
    (id) => {
      expect(refusalOf({}, id)).toContain(`the id ${id} must be lower-case letters`);
    },
  );
});
