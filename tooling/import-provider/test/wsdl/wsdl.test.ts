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

describe("imported WSDL files", () => {
  it("the importer imports the WSDL operations that an overlay selects and applies the overlay's options", () => {
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

  it("the importer selects no WSDL operation without an overlay, and two imports of a WSDL write files with the same bytes", () => {
    expect(importProvider({ provider, from: motor.from, all: false }).endpoints).toEqual([]);
    const [one, other] = [1, 2].map(() =>
      packageFiles({ id: provider }, importProvider({ provider, ...motor, all: false }), new Map()),
    );
    expect(one).toEqual(other);
    expect(one?.get("src/dialect.ts")).toContain('{ name: "number", as: "digits" }');
  });

  it("the suggested overlay of a WSDL has a kind and a reason for each operation", () => {
    const suggested = suggestOverlay(motor.from);
    expect(suggested).toMatch(/\['\/issuePolicy'\]\.post\n.*A submission/);
    expect(suggested).toMatch(/\['\/printPolicy'\]\.post\n.*base64 data at \/pdfContent/);
  });

  it("the suggested overlay of a WSDL names the place of a SOAP fault's code but has no `failures` rows", () => {
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
  ])(
    "the suggested kind of a WSDL operation depends on the operation's name: %s → %s",
    (operation, kind) => {
      const schema = element("op", '<x:element name="a" type="x:int"/>') + answer;
      expect(suggestOverlay(wsdlWith(schema, {}, operation))).toContain(`kind: ${kind}\n`);
    },
  );

  it("the importer's option `--translate` prints a WSDL as the OpenAPI document to which the WSDL's overlay applies", () => {
    const text = translatedText(motor.from);
    expect(text).toMatch(/\/issuePolicy:\n {4}post:\n {6}operationId: issuePolicy/);
    expect(() => translatedText(motor.overlay)).toThrow(/is not WSDL 1.1/);
  });

  it("the importer imports a WSDL that has only SOAP 1.2 services as SOAP 1.2", () => {
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

  it("the importer reports each WSDL operation that cannot be imported and imports the other operations", () => {
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
      expect.stringMatching(/^POST \/encoded The operation is left out: .* is encoded/),
      expect.stringMatching(
        /^POST \/newer The operation is left out: its binding does not use SOAP 1.1/,
      ),
      expect.stringMatching(/^POST \/sendFree Any other element is allowed here/),
      expect.stringMatching(/^POST \/withHeader The SOAP header is not sent/),
    ]);
    expect(lost[0]?.pointer).toBe(
      "claims.wsdl: definitions/binding[ClaimsSoap]/operation[encoded]/input/body",
    );
    // The importer reports no loss for an operation that is not selected.
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
    ["no SOAP body", '<output><s:body use="literal"/>', "<output>", /no soap:body for its output/],
    ["no input", '<input message="t:in"/>', "", /has no input: the insurer would call/],
    ["no message", '<input message="t:in"/>', "<input/>", /has no message/],
    ["an unknown message", 'message="t:out"', 'message="t:no"', /the message .*no, which is not/],
    [
      "two parts",
      '<part name="p" element="t:op"/>',
      '<part name="p" element="t:op"/><part name="q" element="t:op"/>',
      /several elements in the body/,
    ],
    [
      "a document part with a type",
      'element="t:op"',
      'type="x:int"',
      /document messages have elements/,
    ],
    [
      "an rpc part with an element",
      "<s:binding ",
      '<s:binding style="rpc" ',
      /rpc messages have types/,
    ],
    ["a transport other than HTTP", "soap/http", "soap/smtp", /is not carried by HTTP/],
    [
      "a missing port type operation",
      '<operation name="op"><input m',
      '<operation name="no"><input m',
      /is not in the port type/,
    ],
  ])(
    "the importer omits a WSDL operation and reports the reason if the operation has %s",
    (_, text, by, reason) => {
      const from = wsdlWith(element("op", "") + answer);
      writeFileSync(from, readFileSync(from, "utf8").replace(text, by));
      const { endpoints, losses } = importing(from)();
      expect([endpoints, losses.map(({ effect }) => effect)]).toEqual([
        [],
        [expect.stringMatching(reason)],
      ]);
    },
  );
});
