import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../src/contract/index.ts";
import {
  createsAtInsurer,
  isClosed,
  matchPointer,
  matchValues,
  nfc,
  parameterOrigins,
  reconciliationInput,
  reconciliationValues,
  sameContentOf,
  withNormalForms,
} from "../../src/runtime.ts";
import { strict } from "../../src/schema/index.ts";
import { createPolicy, searchPolicies } from "../harness/declarations.ts";

describe("the match fields of a submission", () => {
  const plate = {
    at: "/vehicle/plate",
    normaliser: {
      name: "plate",
      normalise: (text: string) => text.replaceAll(/[ -]/g, ""),
      examples: [],
    },
  };
  const endpoint: Endpoint = { ...createPolicy, same: ["/startDate", plate, "/note"] };

  it("are the normal forms of the fields that are there", () => {
    const value = { startDate: "2026-12-01", vehicle: { plate: "ΙΚΥ-12 34" }, other: 1 };
    expect(matchValues(endpoint, value)).toEqual({
      "/startDate": "2026-12-01",
      "/vehicle/plate": "ΙΚΥ1234",
    });
    expect(matchValues(endpoint, { note: null, vehicle: { plate: 7 } })).toEqual({
      "/vehicle/plate": 7,
      "/note": null,
    });
    const { same: _, ...none } = endpoint;
    expect(matchValues(none, value)).toEqual({});
  });

  it("do not depend on the composition of letters, also in a body", () => {
    const decomposed = { vehicle: { plate: "I\u0308 1", other: ["I 1"] }, note: "\u03b1\u0301" };
    expect(matchValues(endpoint, decomposed)).toEqual({ "/vehicle/plate": "Ï1", "/note": "ά" });
    expect(withNormalForms(endpoint, decomposed)).toEqual({
      vehicle: { plate: "Ï1", other: ["I 1"] },
      note: "ά",
    });
    for (const body of [undefined, null, "text", {}])
      expect(withNormalForms(endpoint, body)).toBe(body);
  });

  it("match fields of more than 1,024 characters are compared without a normaliser", () => {
    const text = "- ".repeat(513);
    expect(matchValues(endpoint, { vehicle: { plate: text } })).toEqual({ "/vehicle/plate": text });
  });

  it("have a JSON Pointer", () => {
    expect(["/a", plate].map(matchPointer)).toEqual(["/a", "/vehicle/plate"]);
  });
});

describe("a text in NFC", () => {
  it("is that of Unicode, for any text without long runs of combining marks", () => {
    const texts = [
      "",
      "abc",
      "ά",
      "\u1f71",
      "\u212b",
      "\u1112\u1161\u11ab",
      "a\u0316\u0301b\u0301",
      "\ud83d\ude00e\u0301",
    ];
    for (const text of texts) {
      expect(nfc(text)).toBe(text.normalize("NFC"));
      expect(nfc(text.normalize("NFD"))).toBe(text.normalize("NFC"));
    }
  });

  it("a text in NFC with many combining marks remains equivalent to the text", () => {
    const text = `a${"\u0301\u0316".repeat(40)}b`;
    expect(nfc(text).normalize("NFC")).toBe(text.normalize("NFC"));
  });
});

describe("a submission", () => {
  const { insurerId: _, ...unnamed } = createPolicy;
  it.each<[string, Endpoint, boolean]>([
    ["of POST with an identifier", createPolicy, true],
    ["of POST without one", unnamed, false],
    ["of PUT", { ...createPolicy, method: "PUT" }, false],
    ["of PUT that says so", { ...createPolicy, method: "PUT", creates: true }, true],
    ["of POST that says no", { ...createPolicy, creates: false }, false],
  ])("%s creates something: %j", (_, endpoint, creates) => {
    expect(createsAtInsurer(endpoint)).toBe(creates);
  });

  it("a submission with equal content counts as the same by its method, unless declared otherwise", () => {
    const contents = [createPolicy, { ...createPolicy, method: "PUT" } as const];
    expect(contents.map(sameContentOf)).toEqual(["once", "open"]);
    const said = contents.map((one) => ({ ...one, sameContent: "none" }) as const);
    expect(said.map(sameContentOf)).toEqual(["none", "none"]);
  });

  it("is closed by the values that it declares", () => {
    const closing: Endpoint = {
      ...createPolicy,
      closedWhen: { at: "/state/code", is: ["DECLINED", "7"] },
    };
    const closed = [{ state: { code: "DECLINED" } }, { state: { code: "7" } }];
    const open = [{ state: { code: "OPEN" } }, { state: { code: 7 } }, {}, null];
    expect(closed.map((answer) => isClosed(closing, answer))).toEqual([true, true]);
    expect(open.map((answer) => isClosed(closing, answer))).toEqual([false, false, false, false]);
    expect(isClosed(createPolicy, closed[0])).toBe(false);
  });
});

describe("the reconciliation of a submission", () => {
  const submission: Endpoint = {
    ...createPolicy,
    path: "/{tenantId}/policies",
    reconcile: {
      endpoint: "searchPolicies",
      parameters: {
        clientAfm: { from: "/holder/afm" },
        tenant: { from: "/path/tenantId" },
        "/filter/from": { from: "/path/other" },
      },
      createdAt: "/createdAt",
    },
  };

  it("has its values from the path and the body", () => {
    expect(parameterOrigins(submission)).toEqual([
      { name: "clientAfm", pathParameter: null, from: "/holder/afm" },
      { name: "tenant", pathParameter: "tenantId", from: "/path/tenantId" },
      { name: "/filter/from", pathParameter: null, from: "/path/other" },
    ]);
    expect(parameterOrigins({ path: "/" })).toEqual([]);
    const body = { holder: { afm: "123456789" }, path: { other: "2026", tenantId: "no" } };
    expect(reconciliationValues(submission, { body, params: { tenantId: "acme" } })).toEqual({
      clientAfm: "123456789",
      tenant: "acme",
      "/filter/from": "2026",
    });
  });

  it("asks with its values in the path, the query and the body", () => {
    const values = { clientAfm: "123456789", tenant: "acme" };
    const page = { position: 21, size: 50 };
    expect(reconciliationInput(searchPolicies, values, page)).toEqual({
      params: {},
      query: { clientAfm: "123456789", tenant: "acme", start: 21, limit: 50 },
      headers: {},
      body: undefined,
    });
    const posted: Endpoint = { ...searchPolicies, path: "/{tenant}/search", body: strict({}) };
    expect(reconciliationInput(posted, values, page)).toEqual({
      params: { tenant: "acme" },
      query: { clientAfm: "123456789", start: 21, limit: 50 },
      headers: {},
      body: {},
    });
    const inBody = { ...values, "/filter/from": "2026" };
    expect(reconciliationInput(searchPolicies, inBody, page).body).toEqual({
      filter: { from: "2026" },
    });
    const optional: Endpoint = { ...posted, body: { required: false, media: {} } };
    expect(reconciliationInput(optional, values, page).body).toBeUndefined();
  });
});
