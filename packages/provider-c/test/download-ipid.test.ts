import type { Ipid } from "@insurance-gateway/adapter/sandbox";
import { check, pdf } from "@insurance-gateway/core/contract";
import { scenarioOf } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { downloadIpid as examples } from "../src/examples/index.ts";
import { downloadIpid } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";
import { ipidRequest } from "../src/schemas/ipid-request.ts";

const now = () => new Date("2026-11-21T08:00:00Z");

function ask(applicationId: string, header?: string) {
  const input = { query: { applicationId } };
  const scenario = scenarioOf(sandbox.scenarios, "downloadIpid", input, header);
  return sandbox.handlers.downloadIpid?.({ input, scenario }, sandbox.seed, now);
}

function documentOf(applicationId: string): Ipid {
  const answer = ask(applicationId);
  if (answer === undefined || !("document" in answer)) throw new Error("There is no document");
  return answer.document;
}

describe("the endpoint downloadIpid", () => {
  it("the endpoint downloadIpid declares a document, with the method and path of the interface specification", () => {
    expect(downloadIpid).toMatchObject({
      kind: "document",
      method: "GET",
      path: "/application/ipid",
      files: [pdf],
      fileName: "ipid",
    });
  });

  it.each(Object.entries(examples))(
    "the example %s of downloadIpid matches the request schema, and the sandbox answers the example with 200",
    (_, { request }) => {
      expect(check(ipidRequest, request.query).valid).toBe(true);
      expect(ask(request.query.applicationId)?.status).toBe(200);
    },
  );

  it.each([
    [{}, "/query/applicationId", "REQUIRED"],
    [{ applicationId: "  " }, "/query/applicationId", "FORMAT"],
    [{ applicationId: "C-0001", language: "el" }, "/query/language", "UNKNOWN_FIELD"],
  ])("the schema of downloadIpid refuses an invalid query: %j", (query, pointer, code) => {
    expect(check(ipidRequest, query, "/query")).toMatchObject({
      valid: false,
      faults: [{ pointer, code }],
    });
  });
});

describe.each(["C-0001", "C-0002", "C-0003"])("the IPID document of the application %s", (id) => {
  const ipid = documentOf(id);

  it("the sandbox's IPID document contains the reference of the requested application", () => {
    expect(ipid.reference).toBe(id);
  });

  it("each list of the sandbox's IPID document has the documented number of entries, without duplicates", () => {
    const lengths = [
      [ipid.insured, 7, 10],
      [ipid.optional, 3, 5],
      [ipid.notInsured, 6, 8],
      [ipid.restrictions, 4, 6],
      [ipid.where, 3, 4],
      [ipid.obligations, 5, 7],
    ] as const;
    for (const [list, least, most] of lengths) {
      expect(list.length).toBeGreaterThanOrEqual(least);
      expect(list.length).toBeLessThanOrEqual(most);
      expect(new Set(list).size).toBe(list.length);
    }
  });

  it("the texts of the sandbox's IPID document consist of Greek letters, without Latin letters", () => {
    const { reference: _, manufacturer, product, ...texts } = ipid;
    for (const text of Object.values(texts).flat()) {
      expect(text).toMatch(/^\p{Script=Greek}/u);
      // A Latin letter that looks Greek would disturb search and screen readers. `RF` begins a payment code.
      expect(text.replaceAll("RF", "")).not.toMatch(/[A-Za-z]/);
    }
    expect(product).toMatch(/^Ασφάλιση αυτοκινήτου/);
    expect(manufacturer.memberState).toBe("Ελλάδα");
  });

  it("the sandbox's IPID document states that the cover starts only after the premium is paid", () => {
    expect(ipid.payment).toContain("ν. 4261/2014");
    expect(ipid.payment).toContain("η κάλυψη αρχίζει μόνο αφού πληρωθεί το ασφάλιστρο");
  });
});

describe("the sandbox of provider C", () => {
  it("the sandbox returns different IPID documents for applications with different insurance packages", () => {
    const documents = ["C-0001", "C-0002", "C-0003"].map(documentOf);
    for (const part of ["product", "type", "insured", "optional", "restrictions"] as const)
      expect(new Set(documents.map((document) => String(document[part]))).size, part).toBe(3);
  });

  it("the sandbox answers the request for a document with 404 if the application is unknown", () => {
    expect(ask("C-0004")).toMatchObject({
      status: 404,
      problem: { code: "APPLICATION_NOT_FOUND" },
    });
  });

  it.each([
    ["C-0009", undefined],
    ["C-0001", "DOCUMENT_NOT_READY"],
  ])(
    "the sandbox answers 409 while the requested document is not ready: application %s, scenario header %s",
    (id, header) => {
      expect(ask(id, header)).toMatchObject({
        status: 409,
        headers: { "retry-after": "5" },
        problem: { code: "DOCUMENT_NOT_READY" },
      });
    },
  );
});
