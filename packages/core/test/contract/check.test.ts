import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { assertValid, check, type Fault, type Schema } from "../../src/contract/index.ts";
import {
  anyOf,
  loose,
  oneOf,
  type Rule,
  strict,
  text,
  zod,
  zodSchema,
} from "../../src/schema/index.ts";
import { policy, policyBody, policyRequest } from "../harness/declarations.ts";

function faultsOf(schema: Schema<unknown>, value: unknown, prefix?: string): readonly Fault[] {
  const checked = check(schema, value, prefix);
  return checked.valid ? [] : checked.faults;
}

describe("request schemas", () => {
  it("the schema check returns a valid request body unchanged", () => {
    expect(check(policyRequest, policyBody)).toEqual({ valid: true, value: policyBody });
  });

  it("the schema check reports all faults of a request body together, each with the JSON Pointer of the field", () => {
    const body = {
      startDate: "1 December",
      holder: { afm: 123456789, fullName: "Ελένη" },
      extra: 1,
    };
    expect(faultsOf(policyRequest, body)).toEqual([
      {
        pointer: "/startDate",
        code: "FORMAT",
        message: "must be a date that exists, written YYYY-MM-DD",
      },
      { pointer: "/endDate", code: "REQUIRED", message: "is required" },
      { pointer: "/holder/afm", code: "TYPE", message: "must be a string" },
      { pointer: "/extra", code: "UNKNOWN_FIELD", message: "is not an accepted field" },
    ]);
  });

  it("the schema check reports each unknown field as a separate fault, including unknown fields of nested objects", () => {
    const holder = { ...policyBody.holder, nickname: "x" };
    const faults = faultsOf(policyRequest, { ...policyBody, holder, one: 1, two: 2 });
    expect(faults.map(({ pointer }) => pointer).toSorted()).toEqual([
      "/holder/nickname",
      "/one",
      "/two",
    ]);
    expect(new Set(faults.map(({ code }) => code))).toEqual(new Set(["UNKNOWN_FIELD"]));
  });

  it.each(["constructor", "__proto__", "toString"])(
    "a request schema refuses an unknown field that has the name of a built-in JavaScript property: %s",
    (name) => {
      const body: unknown = JSON.parse(
        JSON.stringify(policyBody).replace("{", `{${JSON.stringify(name)}:{"x":1},`),
      );
      expect(faultsOf(policyRequest, body)).toMatchObject([
        { pointer: `/${name}`, code: "UNKNOWN_FIELD" },
      ]);
    },
  );

  it.each([
    ["a tax number", "123456789"],
    ["a name", "Ελένη Παπαδοπούλου"],
    ["a sentence", "two words"],
    ["a very long word", "a".repeat(65)],
  ])(
    "a fault leaves out the name of an unknown field if the name could be personal data: %s",
    (_, name) => {
      const faults = faultsOf(policyRequest, { ...policyBody, [name]: 1 });
      expect(faults).toEqual([
        { pointer: "", code: "UNKNOWN_FIELD", message: "has a field that is not accepted" },
      ]);
    },
  );

  it("a request schema accepts an optional field with a valid value, and refuses null or a value of the wrong type", () => {
    expect(check(policyRequest, { ...policyBody, note: "by phone" }).valid).toBe(true);
    expect(faultsOf(policyRequest, { ...policyBody, note: 1 })).toMatchObject([
      { pointer: "/note", code: "TYPE" },
    ]);
    expect(faultsOf(policyRequest, { ...policyBody, note: null })).toMatchObject([
      { pointer: "/note", code: "TYPE" },
    ]);
  });

  it.each([
    ["no body", undefined, "REQUIRED", "is required"],
    ["null", null, "TYPE", "must be an object"],
    ["an array", [], "TYPE", "must be an object"],
    ["a string", "{}", "TYPE", "must be an object"],
  ])(
    "a request schema reports exactly one fault if the body is not an object: %s",
    (_, value, code, message) => {
      expect(faultsOf(policyRequest, value)).toEqual([{ pointer: "", code, message }]);
    },
  );

  it("the schema check applies a rule about two fields only if every declared field is valid", () => {
    const late = { ...policyBody, endDate: policyBody.startDate };
    expect(faultsOf(policyRequest, late)).toEqual([
      { pointer: "/endDate", code: "DATE_ORDER", message: "must be after startDate" },
    ]);
    const unreadable = { ...policyBody, startDate: "2027-13-01", endDate: "2026-01-01" };
    expect(faultsOf(policyRequest, unreadable)).toMatchObject([
      { pointer: "/startDate", code: "FORMAT" },
    ]);
    expect(faultsOf(policyRequest, { ...late, extra: 1 })).toMatchObject([
      { pointer: "/extra", code: "UNKNOWN_FIELD" },
      { pointer: "/endDate", code: "DATE_ORDER" },
    ]);
  });

  it("the schema check begins the pointer of every fault with the prefix from its caller, such as /query", () => {
    expect(faultsOf(policyRequest, {}, "/query").map(({ pointer }) => pointer)).toEqual([
      "/query/startDate",
      "/query/endDate",
      "/query/holder",
    ]);
  });

  it("a fault's pointer escapes ~ and / in a declared field name (RFC 6901)", () => {
    const odd = strict<{ "a/b~c": string }>({ "a/b~c": text() });
    expect(faultsOf(odd, { "a/b~c": 1 })).toMatchObject([{ pointer: "/a~1b~0c", code: "TYPE" }]);
  });
});

describe("answer schemas", () => {
  it("an answer schema accepts unknown fields and unknown values of an open enumeration, and leaves the answer unchanged", () => {
    const answer = { policyId: "M-1", status: "SUSPENDED", premium: null, agent: { code: 7 } };
    expect(check(policy, answer)).toEqual({ valid: true, value: answer });
  });

  it("an answer schema refuses an answer with a missing field or a field of the wrong type", () => {
    expect(faultsOf(policy, { policyId: 1, status: "ISSUED" })).toEqual([
      { pointer: "/policyId", code: "TYPE", message: "must be a string" },
      { pointer: "/premium", code: "REQUIRED", message: "is required" },
    ]);
  });

  it("an answer schema accepts null only in a field that is declared nullable", () => {
    expect(check(policy, { policyId: "1", status: "ISSUED", premium: null }).valid).toBe(true);
    expect(faultsOf(policy, { policyId: "1", status: null, premium: null })).toMatchObject([
      { pointer: "/status", code: "TYPE" },
    ]);
  });

  it("a fault's pointer contains the index of the faulty list item", () => {
    const item = loose<{ code: string }>({ code: text() });
    const list = zodSchema<{ code: string }[]>(z.array(zod(item)));
    expect(faultsOf(list, [{ code: "a" }, { code: 1 }])).toMatchObject([
      { pointer: "/1/code", code: "TYPE" },
    ]);
  });
});

describe("the schema check", () => {
  it("the schema check refuses a value if the schema validates asynchronously", () => {
    const asynchronous: Schema<string> = {
      "~standard": { version: 1, vendor: "test", validate: async () => ({ value: "x" }) },
    };
    expect(check(asynchronous, "x").valid).toBe(false);
  });

  it("the schema check reports the faults that another validation library finds, without the library's messages", () => {
    const other: Schema<string> = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value) => ({
          issues: [{ message: `Saw ${JSON.stringify(value)}`, path: [{ key: "a" }, 0] }],
        }),
      },
    };
    expect(faultsOf(other, "canary")).toEqual([
      { pointer: "/a/0", code: "REQUIRED", message: "is required" },
    ]);
    expect(faultsOf(other, { a: ["canary"] })).toEqual([
      { pointer: "/a/0", code: "INVALID", message: "is not valid" },
    ]);
  });

  it("the schema check reports the faults of the alternative that matches the value best", () => {
    const car = z.strictObject({ kind: z.literal("CAR"), plate: z.string(), year: z.int() });
    const home = z.strictObject({ kind: z.literal("HOME"), area: z.number() });
    const risk = zodSchema(z.strictObject({ risk: oneOf(anyOf(car, home), z.null()) }));
    expect(faultsOf(risk, { risk: { kind: "CAR", plate: 1 } })).toEqual([
      { pointer: "/risk/plate", code: "TYPE", message: "must be a string" },
      { pointer: "/risk/year", code: "REQUIRED", message: "is required" },
    ]);
    expect(faultsOf(risk, { risk: { kind: "HOME", area: 1, floor: 2 } })).toMatchObject([
      { pointer: "/risk/floor", code: "UNKNOWN_FIELD" },
    ]);
    expect(faultsOf(risk, { risk: "CAR" })).toEqual([
      { pointer: "/risk", code: "TYPE", message: "must be an object or null" },
    ]);
    expect(faultsOf(risk, {})).toMatchObject([{ pointer: "/risk", code: "REQUIRED" }]);
  });

  it("assertValid throws an error that lists all faults if a value does not match the schema", () => {
    expect(assertValid(policyRequest, policyBody, "the body")).toEqual(policyBody);
    expect(() => assertValid(policyRequest, { ...policyBody, holder: {} }, "the body")).toThrow(
      "the body does not match its schema: /holder/afm is required; /holder/fullName is required",
    );
  });

  it("the schema check reports a broken rule with the code that the rule declares", () => {
    const rule: Rule<{ a: string }> = {
      path: ["a"],
      code: "VALUE",
      message: "must be x",
      holds: ({ a }) => a === "x",
    };
    const ruled = strict<{ a: string }>({ a: text() }, rule);
    expect(check(ruled, { a: "x" }).valid).toBe(true);
    expect(faultsOf(ruled, { a: "y" })).toEqual([
      { pointer: "/a", code: "VALUE", message: "must be x" },
    ]);
  });
});
