import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { type PageQuery, submission } from "../../src/contract/index.ts";
import {
  encodeQuery,
  fillPath,
  inputChecker,
  pathParameters,
  type RawInput,
} from "../../src/runtime.ts";
import { afm, pageQuery, strict, text } from "../../src/schema/index.ts";
import { listBrands, policy, policyBody, policyRequest } from "../harness/declarations.ts";

interface ChangeQuery extends PageQuery {
  clientAfm: string;
  urgent?: boolean;
  rate?: number;
}

/** An endpoint with something in every part of its request. */
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

describe("a path", () => {
  it("names its parameters", () => {
    expect(pathParameters("/a/{one}/b/{two}")).toEqual(["one", "two"]);
    expect(pathParameters("/a/b")).toEqual([]);
  });

  it("takes values percent-encoded, so that none adds a segment, a query or a fragment", () => {
    expect(fillPath("/a/{id}/b", { id: "Ω/../?x#y %2e" })).toBe(
      "/a/%CE%A9%2F..%2F%3Fx%23y%20%252e/b",
    );
    expect(fillPath("/a/{id}/{n}", { id: "x", n: 7 })).toBe("/a/x/7");
    expect(fillPath("/", {})).toBe("/");
    expect(fillPath("/a/{id}/", { id: "x" })).toBe("/a/x/");
  });

  it.each(["", ".", "..", undefined])("refuses the value %j, which would name another", (id) => {
    for (const path of ["/a/{id}", "/a/{id}/"])
      expect(() => fillPath(path, { id })).toThrow(
        "The path parameter id is missing or names another path",
      );
  });

  it.each(["/a/../b", "/a//b", "/a/.", "/..", "//a"])("refuses %s without parameters", (path) => {
    expect(() => fillPath(path, {})).toThrow(TypeError);
  });
});

describe("a query", () => {
  it("is written with its question mark, encoded, in the order given", () => {
    expect(encodeQuery({ b: "Ω & =", a: 1, yes: true })).toBe("?b=%CE%A9+%26+%3D&a=1&yes=true");
  });

  it("a query omits undefined values, and is empty without any others", () => {
    expect(encodeQuery({ a: undefined, b: "" })).toBe("?b=");
    expect(encodeQuery({ a: undefined })).toBe("");
  });
});

describe("the checker of an endpoint's requests", () => {
  it("gives every part back, with numbers and booleans where they are declared", () => {
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

  it.each(["1e1", "0x10", " 1", "", "+1", "1.", "1_000", "NaN", "9".repeat(16)])(
    "does not take %j for a number",
    (number) => {
      const search = `clientAfm=123456789&${new URLSearchParams({ start: number }).toString()}`;
      expect(faultsOf({ search })).toEqual(["/query/start TYPE"]);
    },
  );

  it.each(["TRUE", "1", "yes"])("does not take %j for a boolean", (urgent) => {
    expect(faultsOf({ search: `clientAfm=123456789&urgent=${urgent}` })).toEqual([
      "/query/urgent TYPE",
    ]);
  });

  it("the checker of requests refuses a value out of range instead of clamping it", () => {
    expect(faultsOf({ search: "clientAfm=123456789&start=0&limit=101" })).toEqual([
      "/query/start RANGE",
      "/query/limit RANGE",
    ]);
  });

  it("refuses a repeated parameter once, however often it comes", () => {
    const search = "clientAfm=123456789&clientAfm=123456789&clientAfm=123456789";
    expect(faultsOf({ search })).toEqual(["/query/clientAfm REPEATED"]);
  });

  it.each(["page", "__proto__", "constructor"])("refuses the unknown parameter %s", (name) => {
    expect(faultsOf({ search: `clientAfm=123456789&${name}=1` })).toEqual([
      `/query/${name} UNKNOWN_FIELD`,
    ]);
  });

  it("refuses any parameter where none is declared, without repeating it", () => {
    const check = inputChecker(listBrands);
    expect(check({ params: {}, search: "", body: undefined }).valid).toBe(true);
    expect(check({ params: {}, search: "123456789=canary", body: undefined })).toEqual({
      valid: false,
      faults: [{ pointer: "/query", code: "UNKNOWN_FIELD", message: "takes no parameters here" }],
    });
  });

  it("names the faults of path, query and body at once", () => {
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

  it("asks for the body that is declared", () => {
    expect(faultsOf({ body: undefined })).toEqual([" REQUIRED"]);
  });

  it("uses the faster schemas it is given", () => {
    const compiled: unknown[] = [];
    const check = inputChecker(changePolicy, (schema) => {
      compiled.push(schema);
      return schema;
    });
    expect(compiled).toEqual([changePolicy.params, changePolicy.query, changePolicy.body]);
    expect(check({ params: {}, search: "", body: policyBody }).valid).toBe(false);
  });
});
