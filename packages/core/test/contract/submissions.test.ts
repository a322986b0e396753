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

describe("match fields of submissions", () => {
  const plate = {
    at: "/vehicle/plate",
    normaliser: {
      name: "plate",
      normalise: (text: string) => text.replaceAll(/[ -]/g, ""),
      examples: [],
    },
  };
  const endpoint: Endpoint = { ...createPolicy, same: ["/startDate", plate, "/note"] };

  it("the match fields of a submission are the declared fields in the submission's body, in normalised form", () => {
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

  it("match fields and bodies with decomposed Unicode letters are converted to composed letters (NFC)", () => {
    const decomposed = { vehicle: { plate: "I\u0308 1", other: ["I 1"] }, note: "\u03b1\u0301" };
    expect(matchValues(endpoint, decomposed)).toEqual({ "/vehicle/plate": "Ï1", "/note": "ά" });
    expect(withNormalForms(endpoint, decomposed)).toEqual({
      vehicle: { plate: "Ï1", other: ["I 1"] },
      note: "ά",
    });
    for (const body of [undefined, null, "text", {}])
      expect(withNormalForms(endpoint, body)).toBe(body);
  });

  it("the gateway compares a match field of more than 1,024 characters without the field's normaliser", () => {
    const text = "- ".repeat(513);
    expect(matchValues(endpoint, { vehicle: { plate: text } })).toEqual({ "/vehicle/plate": text });
  });

  it("a match field is identified by a JSON Pointer, with or without a normaliser", () => {
    expect(["/a", plate].map(matchPointer)).toEqual(["/a", "/vehicle/plate"]);
  });
});

describe("Unicode normalisation (NFC)", () => {
  it("the function nfc returns Unicode's NFC for texts without long runs of combining marks", () => {
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

  it("the function nfc returns a canonically equivalent text for a text with many combining marks", () => {
    const text = `a${"\u0301\u0316".repeat(40)}b`;
    expect(nfc(text).normalize("NFC")).toBe(text.normalize("NFC"));
  });
});

describe("submission declarations", () => {
  const { insurerId: _, ...unnamed } = createPolicy;
  it.each<[string, Endpoint, boolean]>([
    ["POST with the insurer's identifier", createPolicy, true],
    ["POST without the insurer's identifier", unnamed, false],
    ["PUT", { ...createPolicy, method: "PUT" }, false],
    ["PUT with `creates: true`", { ...createPolicy, method: "PUT", creates: true }, true],
    ["POST with `creates: false`", { ...createPolicy, creates: false }, false],
  ])(
    "the declaration determines whether a submission creates an item at the insurer: %s, result %j",
    (_, endpoint, creates) => {
      expect(createsAtInsurer(endpoint)).toBe(creates);
    },
  );

  it('the default of `sameContent` is "once" for POST and "open" for PUT, and the declaration can replace the default', () => {
    const contents = [createPolicy, { ...createPolicy, method: "PUT" } as const];
    expect(contents.map(sameContentOf)).toEqual(["once", "open"]);
    const said = contents.map((one) => ({ ...one, sameContent: "none" }) as const);
    expect(said.map(sameContentOf)).toEqual(["none", "none"]);
  });

  it("an application counts as declined or ended if the insurer's answer has one of the values in `closedWhen`", () => {
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

describe("reconciliation queries", () => {
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

  it("the values of a reconciliation query are read from the submission's path and body", () => {
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

  it("a reconciliation query contains its values in the path, the query string and the body of the search", () => {
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
