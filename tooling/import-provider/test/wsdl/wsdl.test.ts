import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { importProvider } from "../../src/import-provider.ts";
import { packageFiles } from "../../src/package-files.ts";
import { suggestOverlay } from "../../src/suggest/suggest-overlay.ts";
import { translatedText } from "../../src/wsdl/translate.ts";
import { answer, element, importing, wsdlWith } from "../small-wsdl.ts";

const documents = fileURLToPath(new URL("../documents/", import.meta.url));
const motor = {
  from: join(documents, "motor/motor.wsdl"),
  overlay: join(documents, "motor/motor.overlay.yaml"),
};
const provider = "provider-x";

describe("a WSDL", () => {
  it("a WSDL offers the operations that the overlay selects, with the overlay's options", () => {
    const { endpoints, losses } = importProvider({ provider, ...motor, all: false });
    expect(endpoints.map(({ kind, method, name, path }) => [name, kind, method, path])).toEqual([
      ["tariffy", "quote", "POST", "/tariffy"],
      ["issuePolicy", "submission", "POST", "/issuePolicy"],
      ["printPolicy", "document", "POST", "/printPolicy"],
      ["listUsages", "lookup", "GET", "/listUsages"],
      ["findPolicies", "search", "POST", "/findPolicies"],
    ]);
    const search = endpoints.find(({ name }) => name === "findPolicies");
    const query = search?.query?.node;
    expect(query?.type === "object" && query.fields.map(({ name }) => name)).toEqual([
      "page",
      "pageSize",
    ]);
    expect(losses.filter(({ severity }) => severity === "lost")).toEqual([]);
  });

  it("gives nothing without an overlay, and the same bytes each time", () => {
    expect(importProvider({ provider, from: motor.from, all: false }).endpoints).toEqual([]);
    const [one, other] = [1, 2].map(() =>
      packageFiles({ id: provider }, importProvider({ provider, ...motor, all: false }), new Map()),
    );
    expect(one).toEqual(other);
    expect(one?.get("src/dialect.ts")).toContain('{ name: "number", as: "digits" }');
  });

  it("is suggested with a reason for each operation, and only the first word makes a read of one", () => {
    const suggested = suggestOverlay(motor.from);
    expect(suggested).toMatch(/\['\/issuePolicy'\]\.post\n.*A submission/);
    expect(suggested).toMatch(/\['\/printPolicy'\]\.post\n.*base64 at \/pdfContent/);
  });

  it("is suggested with the place of a fault's code, and with no row: only the insurer knows which codes refuse", () => {
    const suggested = suggestOverlay(motor.from);
    expect(suggested.replaceAll(/\s+/g, " ")).toContain(
      "Faults have a code at /fault/detail/serviceFault/errorCode. Ask the insurer",
    );
    expect(suggested).not.toContain("failures:\n");
    expect(suggested).not.toContain("outcome: rejected");
  });

  it.each([
    ["getCustomer", "read"],
    ["calculateOffer", "quote"],
    ["getOrCreateCustomer", "submission"],
    ["GetNextPolicyNumber", "submission"],
    ["retrieveAndLockApplication", "submission"],
    ["quoteAndIssue", "submission"],
    ["CalculateAndSaveOffer", "submission"],
  ])("a WSDL with the operation %s is suggested as a %s", (operation, kind) => {
    const schema = element("op", '<x:element name="a" type="x:int"/>') + answer;
    expect(suggestOverlay(wsdlWith(schema, {}, operation))).toContain(`kind: ${kind}\n`);
  });

  it("is printed as the OpenAPI document that its overlay is for", () => {
    const text = translatedText(motor.from);
    expect(text).toMatch(/\/issuePolicy:\n {4}post:\n {6}operationId: issuePolicy/);
    expect(() => translatedText(motor.overlay)).toThrow(/is no WSDL 1.1/);
  });

  it("a WSDL with services of SOAP 1.2 only is imported with that version", () => {
    const from = wsdlWith(element("op", "") + answer);
    const binding = "http://schemas.xmlsoap.org/wsdl/soap";
    writeFileSync(from, readFileSync(from, "utf8").replace(`${binding}/`, `${binding}12/`));
    const imported = importing(from)();
    expect(imported.endpoints.map(({ name }) => name)).toEqual(["op"]);
    const dialect = packageFiles({ id: provider }, imported, new Map()).get("src/dialect.ts");
    expect(dialect).toContain('version: "1.2"');
    expect(dialect).toContain('path: "/s"');
    expect(dialect).toContain('action: "op"');
  });

  it("reports each operation that cannot be imported, and does not lose the others", () => {
    const from = join(documents, "claims.wsdl");
    const { endpoints, losses } = importing(from)();
    expect(endpoints.map(({ name }) => name)).toEqual([
      "reportClaim",
      "getClaim",
      "notify",
      "sendFree",
      "withHeader",
    ]);
    const lost = losses.filter(({ severity }) => severity === "lost");
    expect(lost.map(({ effect, operation }) => `${operation} ${effect}`)).toEqual([
      expect.stringMatching(/^POST \/encoded It is left out: .* is encoded/),
      expect.stringMatching(/^POST \/newer It is left out: its binding is none of SOAP 1.1/),
      expect.stringMatching(/^POST \/sendFree Any other element may stand here/),
      expect.stringMatching(/^POST \/withHeader The SOAP header is not sent/),
    ]);
    expect(lost[0]?.pointer).toBe(
      "claims.wsdl: definitions/binding[ClaimsSoap]/operation[encoded]/input/body",
    );
    // An operation that is not selected is not lost.
    const overlay = join(documents, "claims.overlay.yaml");
    expect(importProvider({ provider, from, overlay, all: false }).losses).toEqual([]);
  });

  it.each<[string, string, string, RegExp]>([
    [
      "attachments",
      '<input><s:body use="literal"/></input>',
      '<input><m:multipartRelated xmlns:m="http://schemas.xmlsoap.org/wsdl/mime/"/></input>',
      /has attachments/,
    ],
    ["no body", '<output><s:body use="literal"/>', "<output>", /no soap:body for its output/],
    ["no input", '<input message="t:in"/>', "", /has no input: the insurer would call/],
    ["no message", '<input message="t:in"/>', "<input/>", /has no message/],
    ["an unknown message", 'message="t:out"', 'message="t:no"', /the message .*no, which is not/],
    [
      "two parts",
      '<part name="p" element="t:op"/>',
      '<part name="p" element="t:op"/><part name="q" element="t:op"/>',
      /several elements in the body/,
    ],
    ["a part with a type", 'element="t:op"', 'type="x:int"', /document messages have elements/],
    ["rpc with an element", "<s:binding ", '<s:binding style="rpc" ', /rpc messages have types/],
    ["no HTTP", "soap/http", "soap/smtp", /is not carried by HTTP/],
    [
      "an operation of no port type",
      '<operation name="op"><input m',
      '<operation name="no"><input m',
      /is not in the port type/,
    ],
  ])("loses an operation with %s, with the reason", (_, text, by, reason) => {
    const from = wsdlWith(element("op", "") + answer);
    writeFileSync(from, readFileSync(from, "utf8").replace(text, by));
    const { endpoints, losses } = importing(from)();
    expect([endpoints, losses.map(({ effect }) => effect)]).toEqual([
      [],
      [expect.stringMatching(reason)],
    ]);
  });
});
