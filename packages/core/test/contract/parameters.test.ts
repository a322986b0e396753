import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { type PageQuery, submission } from "../../src/contract/index.ts";
import { fillPath, inputChecker, pathParameters, type RawInput } from "../../src/runtime.ts";
import { afm, pageQuery, strict, string, text, zodSchema } from "../../src/schema/index.ts";
import { listBrands, policy, policyBody, policyRequest } from "../harness/declarations.ts";

interface ChangeQuery extends PageQuery {
  clientAfm: string;
  urgent?: boolean;
  rate?: number;
}

/** An endpoint with declared values in every part of its request. */
const changePolicy = submission<{
  params: { policyId: string; version: number };
  query: ChangeQuery;
  body: typeof policyBody;
  response: unknown;
}>({
  provider: "provider-m",
  method: "PUT",
  path: "/policies/{policyId}/versions/{version}",
  params: strict<{ policyId: string; version: number }>({ policyId: text(), version: z.int() }),
  query: strict<ChangeQuery>({
    clientAfm: afm(),
    urgent: z.exactOptional(z.boolean()),
    rate: z.exactOptional(z.number()),
    ...pageQuery(),
  }),
  body: policyRequest,
  response: { 200: policy },
});

const checkChange = inputChecker(changePolicy);

function faultsOf(raw: Partial<RawInput>): readonly string[] {
  const checked = checkChange({
    params: { policyId: "M-1", version: "2" },
    search: "clientAfm=123456789",
    body: policyBody,
    ...raw,
  });
  return checked.valid ? [] : checked.faults.map(({ pointer, code }) => `${pointer} ${code}`);
}

describe("paths", () => {
  it("the parameters of a path template are the names in braces", () => {
    expect(pathParameters("/a/{one}/b/{two}")).toEqual(["one", "two"]);
    expect(pathParameters("/a/b")).toEqual([]);
  });

  it("a path parameter is percent-encoded, so that its value adds no segment, query or fragment", () => {
    expect(fillPath("/a/{id}/b", { id: "Ω/../?x#y %2e" })).toBe(
      "/a/%CE%A9%2F..%2F%3Fx%23y%20%252e/b",
    );
    expect(fillPath("/a/{id}/{n}", { id: "x", n: 7 })).toBe("/a/x/7");
    expect(fillPath("/", {})).toBe("/");
    expect(fillPath("/a/{id}/", { id: "x" })).toBe("/a/x/");
  });

  it.each(["", ".", "..", undefined])(
    "the client refuses a path parameter whose value would change the path: %j",
    (id) => {
      for (const path of ["/a/{id}", "/a/{id}/"])
        expect(() => fillPath(path, { id })).toThrow(
          "The path parameter id is missing or leads to another path",
        );
    },
  );

  it.each(["/a/../b", "/a//b", "/a/.", "/..", "//a"])(
    "the client refuses a path with an empty segment or a dot segment: %s",
    (path) => {
      expect(() => fillPath(path, {})).toThrow(TypeError);
    },
  );
});

describe("the request checker", () => {
  it("the request checker returns all parts of a request, with numbers and booleans as declared", () => {
    expect(
      checkChange({
        params: { policyId: "0042", version: "2" },
        search: "clientAfm=012345678&start=21&limit=5&urgent=true&rate=-1.5",
        body: policyBody,
      }),
    ).toEqual({
      valid: true,
      value: {
        params: { policyId: "0042", version: 2 },
        query: { clientAfm: "012345678", start: 21, limit: 5, urgent: true, rate: -1.5 },
        headers: {},
        body: policyBody,
        mediaType: "application/json",
      },
    });
  });

  it.each(["TRUE", "1", "yes"])(
    "the request checker accepts only true and false as a boolean, and refuses the text %j",
    (urgent) => {
      expect(faultsOf({ search: `clientAfm=123456789&urgent=${urgent}` })).toEqual([
        "/query/urgent TYPE",
      ]);
    },
  );

  it("the request checker refuses a number out of range instead of replacing it by the nearest limit", () => {
    expect(faultsOf({ search: "clientAfm=123456789&start=0&limit=101" })).toEqual([
      "/query/start RANGE",
      "/query/limit RANGE",
    ]);
  });

  it("the request checker reports a repeated parameter as one fault, regardless of the number of repetitions", () => {
    const search = "clientAfm=123456789&clientAfm=123456789&clientAfm=123456789";
    expect(faultsOf({ search })).toEqual(["/query/clientAfm REPEATED"]);
  });

  it.each(["page", "__proto__", "constructor"])(
    "the request checker refuses an unknown query parameter: %s",
    (name) => {
      expect(faultsOf({ search: `clientAfm=123456789&${name}=1` })).toEqual([
        `/query/${name} UNKNOWN_FIELD`,
      ]);
    },
  );

  it("the request checker refuses a query if the endpoint has no parameters, and the fault omits the names in the query", () => {
    const check = inputChecker(listBrands);
    expect(check({ params: {}, search: "", body: undefined }).valid).toBe(true);
    expect(check({ params: {}, search: "123456789=canary", body: undefined })).toEqual({
      valid: false,
      faults: [{ pointer: "/query", code: "UNKNOWN_FIELD", message: "must not have parameters" }],
    });
  });

  it("the request checker reports the faults of path, query and body together", () => {
    expect(
      faultsOf({
        params: { policyId: " ", version: "two" },
        search: "start=1&start=2",
        body: { ...policyBody, startDate: undefined },
      }),
    ).toEqual([
      "/path/policyId FORMAT",
      "/path/version TYPE",
      "/query/start REPEATED",
      "/query/clientAfm REQUIRED",
      "/startDate REQUIRED",
    ]);
  });

  it("the request checker refuses a request without the declared body", () => {
    expect(faultsOf({ body: undefined })).toEqual([" REQUIRED"]);
  });

  it("the request checker uses compiled schemas if the caller passes a compile function", () => {
    const compiled: unknown[] = [];
    const check = inputChecker(changePolicy, (schema) => {
      compiled.push(schema);
      return schema;
    });
    expect(compiled).toEqual([changePolicy.params, changePolicy.query, changePolicy.body]);
    expect(check({ params: {}, search: "", body: policyBody }).valid).toBe(false);
  });
});

describe("request bodies", () => {
  const word = zodSchema(string({ maxLength: 9 }));
  const media = { "application/json": word, "text/plain": word };
  const check = inputChecker({ ...listBrands, body: { required: false, media } });

  it.each<[unknown, string | undefined, object | readonly string[]]>([
    [undefined, undefined, { body: undefined }],
    ["a", undefined, { body: "a", mediaType: "application/json" }],
    ["a", "text/plain", { body: "a", mediaType: "text/plain" }],
    ["a\r\n\tb", "text/plain", { body: "a\r\n\tb", mediaType: "text/plain" }],
    ["a\r\n\tb", "application/json", ["FORMAT"]],
    ["a\u0000", "text/plain", ["FORMAT"]],
    ["0123456789\u0000", "text/plain", ["LENGTH"]],
    [7, "text/plain", ["TYPE"]],
  ])(
    "the request checker checks a body by its media type: body %j, media type %s, result %j",
    (body, mediaType, expected) => {
      const checked = check({
        params: {},
        search: "",
        body,
        ...(mediaType === undefined ? {} : { mediaType }),
      });
      const {
        params: _,
        query: __,
        headers: ___,
        ...content
      } = checked.valid ? checked.value : { params: 0, query: 0, headers: 0 };
      expect(checked.valid ? content : checked.faults.map(({ code }) => code)).toEqual(expected);
    },
  );

  it("the request checker throws if the body has an undeclared media type", () => {
    expect(() => check({ params: {}, search: "", body: "a", mediaType: "text/csv" })).toThrow(
      new TypeError("The body must have a declared media type, not text/csv"),
    );
  });

  it("the request checker ignores a body if the endpoint declares no body", () => {
    const checked = inputChecker(listBrands)({ params: {}, search: "", body: { a: 1 } });
    expect(checked).toEqual({
      valid: true,
      value: { params: {}, query: {}, headers: {}, body: undefined },
    });
  });
});
