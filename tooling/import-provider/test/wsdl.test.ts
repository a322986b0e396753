import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type ImportedProvider, importProvider } from "../src/import-provider.ts";
import { packageFiles } from "../src/package-files.ts";
import type { ObjectNode } from "../src/schemas/model.ts";
import { suggestOverlay } from "../src/suggest/suggest-overlay.ts";
import { translatedText } from "../src/wsdl/translate.ts";
import { temporaryFolder } from "./sample.ts";

const documents = fileURLToPath(new URL("./documents/", import.meta.url));
const motor = {
  from: join(documents, "motor/motor.wsdl"),
  overlay: join(documents, "motor/motor.overlay.yaml"),
};
const provider = "provider-x";

/** Writes a WSDL with one operation whose request is the element `op`, and the files that stand beside it. */
function wsdlWith(
  schema: string,
  files: Readonly<Record<string, string>> = {},
  operation = "op",
): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries({ ...files, "main.wsdl": wsdl(schema, operation) })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return join(folder, "main.wsdl");
}

function wsdl(schema: string, operation: string): string {
  return `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="u:a" xmlns:t="u:a"
    xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema">
    <types><x:schema targetNamespace="u:a" elementFormDefault="qualified">${schema}</x:schema></types>
    <message name="in"><part name="p" element="t:op"/></message>
    <message name="out"><part name="p" element="t:opResponse"/></message>
    <portType name="P"><operation name="${operation}"><input message="t:in"/><output message="t:out"/></operation></portType>
    <binding name="B" type="t:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
      <operation name="${operation}"><s:operation soapAction="op"/><input><s:body use="literal"/></input>
      <output><s:body use="literal"/></output></operation></binding>
    <service name="S"><port name="P" binding="t:B"><s:address location="http://insurer.example/s"/></port></service>
  </definitions>`;
}

/** An element with a sequence. */
function element(name: string, inside: string): string {
  return `<x:element name="${name}"><x:complexType><x:sequence>${inside}</x:sequence></x:complexType></x:element>`;
}

const answer = element("opResponse", '<x:element name="id" type="x:token"/>');

/** Imports a WSDL whose request has this inside. */
function importedWith(inside: string, more = ""): ImportedProvider {
  return importing(wsdlWith(element("op", inside) + answer + more))();
}

function importing(from: string): () => ImportedProvider {
  return () => importProvider({ provider, from, all: true });
}

/** The request's body. */
function nodeOf({ endpoints }: ImportedProvider): ObjectNode | undefined {
  const node = endpoints[0]?.body?.media[0]?.definition.node;
  return node?.type === "object" ? node : undefined;
}

function fieldsOf(imported: ImportedProvider): ObjectNode["fields"] | undefined {
  return nodeOf(imported)?.fields;
}

/** The fields of the request's body. */
function bodyOf(imported: ImportedProvider): unknown {
  return fieldsOf(imported)?.map(({ name, required, schema }) => [name, required, schema]);
}

describe("a WSDL", () => {
  it("offers what the overlay selects, as the overlay wants it", () => {
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
  ])("with the operation %s is suggested as a %s", (operation, kind) => {
    const schema = element("op", '<x:element name="a" type="x:int"/>') + answer;
    expect(suggestOverlay(wsdlWith(schema, {}, operation))).toContain(`kind: ${kind}\n`);
  });

  it("is printed as the OpenAPI document that its overlay is for", () => {
    const text = translatedText(motor.from);
    expect(text).toMatch(/\/issuePolicy:\n {4}post:\n {6}operationId: issuePolicy/);
    expect(() => translatedText(motor.overlay)).toThrow(/is no WSDL 1.1/);
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
    // What is not selected is not lost.
    const overlay = join(documents, "claims.overlay.yaml");
    expect(importProvider({ provider, from, overlay, all: false }).losses).toEqual([]);
  });
});

it("an OpenAPI document is suggested with no read or quote whose name changes something", () => {
  const from = join(temporaryFolder(), "openapi.json");
  const operationIds = ["searchPolicies", "checkAndReserve", "calculateQuote", "quoteAndIssue"];
  const error = { type: "object", properties: { code: { type: "string" } } };
  const refusal = { description: "", content: { "application/json": { schema: error } } };
  const responses = { 200: { description: "" }, 409: refusal, 422: refusal };
  const paths = Object.fromEntries(
    operationIds.map((operationId) => [`/${operationId}`, { post: { operationId, responses } }]),
  );
  writeFileSync(
    from,
    JSON.stringify({ openapi: "3.1.0", info: { title: "A", version: "1" }, paths }),
  );
  const suggested = suggestOverlay(from);
  expect([...suggested.matchAll(/kind: (\w+)/g)].map(([, kind]) => kind)).toEqual([
    "read",
    "submission",
    "quote",
    "submission",
  ]);
  // A conflict may be that with the application itself, which was accepted before.
  expect([...suggested.matchAll(/status: (\d+)/g)].map(([, status]) => status)).toEqual(["422"]);
});

describe("a type", () => {
  it.each([
    ["x:string", { type: "string" }],
    ["x:boolean", { type: "boolean" }],
    ["x:short", { type: "integer", minimum: -32_768, maximum: 32_767 }],
    ["x:long", { type: "digits" }],
    ["x:double", { type: "number" }],
    ["x:date", { type: "string", format: "date" }],
    ["x:base64Binary", { type: "string", format: "byte" }],
    [
      "x:decimal",
      { type: "string", format: "decimal", pattern: String.raw`^-?(?:0|[1-9]\d*)(?:\.\d+|)$` },
    ],
  ])("%s is %j", (type, schema) => {
    const imported = importedWith(`<x:element name="a" type="${type}"/>`);
    expect(bodyOf(imported)).toEqual([["a", true, schema]]);
  });

  it("has its facets", () => {
    const imported = importedWith(
      `<x:element name="a" type="t:A" minOccurs="0"/><x:element name="b" type="t:B" nillable="true"/>
       <x:element name="c" type="t:C"/><x:element name="d" type="t:A" minOccurs="0" maxOccurs="5"/>`,
      `<x:simpleType name="A"><x:restriction base="x:string"><x:maxLength value="5"/><x:pattern value="[A-Z]\\-^$"/>
         </x:restriction></x:simpleType>
       <x:simpleType name="B"><x:restriction base="x:integer"><x:minInclusive value="1"/><x:totalDigits value="3"/>
         </x:restriction></x:simpleType>
       <x:simpleType name="C"><x:union memberTypes="t:C1 t:C2"/></x:simpleType>
       <x:simpleType name="C1"><x:restriction base="x:token"><x:enumeration value="a"/></x:restriction></x:simpleType>
       <x:simpleType name="C2"><x:restriction base="x:token"><x:enumeration value="b"/></x:restriction></x:simpleType>`,
    );
    const a = { type: "string", maxLength: 5, pattern: String.raw`^(?:[A-Z]-\^\$)$` };
    expect(bodyOf(imported)).toEqual([
      ["a", false, a],
      ["b", true, { type: "nullable", inner: { type: "integer", minimum: 1, maximum: 999 } }],
      ["c", true, { type: "enum", values: ["a", "b"], open: false }],
      ["d", false, { type: "list", item: a, minItems: 1, maxItems: 5 }],
    ]);
  });

  const int = (name: string, more = ""): string =>
    `<x:element name="${name}" type="x:int" ${more}/>`;
  const sequence = (...names: readonly string[]): string =>
    `<x:sequence>${names.map((name) => int(name)).join("")}</x:sequence>`;
  const choice = (...parts: readonly string[]): string => `<x:choice>${parts.join("")}</x:choice>`;

  it.each([
    [
      ["plate", "country"],
      ["chassis", "country"],
      ["plate", "chassis", "country"],
    ],
    [
      ["country", "plate"],
      ["country", "chassis"],
      ["country", "plate", "chassis"],
    ],
  ])("with the alternatives %j and %j has an order that fits both", (one, other, order) => {
    const imported = importedWith(choice(sequence(...one), sequence(...other)));
    expect(fieldsOf(imported)?.map(({ name }) => name)).toEqual(order);
    expect(imported.losses.filter(({ severity }) => severity === "lost")).toEqual([]);
  });

  it("with two choices needs one alternative of each", () => {
    const node = nodeOf(
      importedWith(choice(int("a"), int("b")) + choice(int("c"), sequence("d", "e"))),
    );
    expect(node?.needsOneOf).toEqual([
      [
        ["a", "c"],
        ["a", "d", "e"],
        ["b", "c"],
        ["b", "d", "e"],
      ],
    ]);
  });

  it("of which no more than some are in a sequence that is repeated has no more in all", () => {
    const repeated = (most: string): unknown =>
      fieldsOf(
        importedWith(
          `<x:sequence minOccurs="2" maxOccurs="${most}">${int("a", 'maxOccurs="2"')}</x:sequence>`,
        ),
      )?.[0]?.schema;
    expect(repeated("unbounded")).toEqual({
      type: "list",
      item: expect.anything(),
      minItems: 2,
    });
    expect(repeated("3")).toMatchObject({ minItems: 2, maxItems: 6 });
  });

  it("of whole numbers keeps its values", () => {
    const values = (...listed: readonly string[]): ImportedProvider =>
      importedWith(
        '<x:element name="a" type="t:A"/>',
        `<x:simpleType name="A"><x:restriction base="x:integer">${listed
          .map((value) => `<x:enumeration value="${value}"/>`)
          .join("")}</x:restriction></x:simpleType>`,
      );
    expect(fieldsOf(values("1", "12"))?.[0]?.schema).toMatchObject({ values: [1, 12] });
    expect(values("9007199254740993").losses).toContainEqual(
      expect.objectContaining({
        severity: "loosened",
        effect: expect.stringMatching(/The values of a number of 64 bits/),
      }),
    );
  });

  it("of decimals counts the digits before the point and those after it together", () => {
    const digits = (total: number, fraction: string): ImportedProvider =>
      importedWith(
        '<x:element name="a" type="t:A"/>',
        `<x:simpleType name="A"><x:restriction base="x:decimal"><x:totalDigits value="${total}"/>${fraction}
         </x:restriction></x:simpleType>`,
      );
    const schema = fieldsOf(digits(4, '<x:fractionDigits value="2"/>'))?.[0]?.schema;
    const pattern = new RegExp(schema?.type === "string" ? (schema.pattern ?? "") : "");
    for (const text of ["0", "-12.34", "1234", "1234.00", "123.40", "0.01"])
      expect(text).toMatch(pattern);
    for (const text of ["12345", "1234.5", "123.45", "1.234", "00", "1."])
      expect(text).not.toMatch(pattern);
    expect(digits(18, "").losses).toContainEqual(
      expect.objectContaining({ effect: expect.stringMatching(/all digits of a decimal/) }),
    );
  });

  it("that holds itself, also by a reference to an element, is one interface", () => {
    const tree = `<x:element name="tree"><x:complexType><x:sequence>
      <x:element ref="t:tree" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>`;
    const imported = importedWith('<x:element ref="t:tree"/>', tree);
    expect(imported.endpoints).toHaveLength(1);
    expect([...imported.names.values()].map(({ type }) => type)).toContain("Tree");
  });

  it.each([
    ["<x:any/>", "", /Any other element/],
    [
      '<x:element name="a" type="t:A"/>',
      '<x:complexType name="A" mixed="true"><x:sequence/></x:complexType>',
      /Texts between the elements/,
    ],
    [
      '<x:element name="a" type="t:A"/>',
      '<x:complexType name="A" abstract="true"><x:sequence/></x:complexType>',
      /The type is abstract/,
    ],
    [
      '<x:element ref="t:head"/>',
      '<x:element name="head" type="x:string"/><x:element name="other" type="x:string" substitutionGroup="t:head"/>',
      /substitutionGroup/,
    ],
    [
      '<x:sequence maxOccurs="2"><x:element name="a" type="x:int"/><x:element name="b" type="x:int"/></x:sequence>',
      "",
      /which belong together is lost/,
    ],
    ['<x:element name="a"/>', "", /It may hold anything/],
    [sequence("a", "b", "a"), "", /The element a stands in more than one place/],
    [choice(sequence("a", "b"), sequence("b", "a")), "", /the same elements in different orders/],
    [choice(int("a"), sequence("b", "a", "a")), "", /or one more than once/],
    [choice(int("a"), int("a", 'maxOccurs="2"')), "", /the same element with different rules/],
  ])("with %s is reported as lost", (inside, more, effect) => {
    const { losses } = importedWith(inside, more);
    expect(losses).toContainEqual(
      expect.objectContaining({
        operation: "POST /op",
        severity: "lost",
        effect: expect.stringMatching(effect),
      }),
    );
  });
});

describe("a hostile WSDL", () => {
  const a = '<x:element name="a" type="x:int"/>';
  const include = (location: string): string => `<x:include schemaLocation="${location}"/>`;

  it.each([
    [
      "an entity bomb",
      '<!DOCTYPE a [<!ENTITY a "ha">]>',
      /document type, which could declare entities/,
    ],
    ["a tag without its end", "<x:element>", /main.wsdl is no XML that can be read: line \d+/],
    ["a file outside its folder", include("../../etc/passwd"), /outside the document's folder/],
    ["an absolute file", include("/etc/passwd"), /outside the document's folder/],
    ["a file that is not there", include("missing.xsd"), /does not stand beside the document/],
    [
      "a name that is code",
      '<x:element name="a: globalThis.hit = 1"/>',
      /has the name .* which is none/,
    ],
    ["a name that changes objects", '<x:element name="__proto__" type="x:int"/>', /which is none/],
  ])("with %s is refused, with a reason", (_, schema, reason) => {
    expect(importing(wsdlWith(schema))).toThrow(reason);
  });

  it("cannot read a file outside its folder through a link", () => {
    const from = wsdlWith(include("link.xsd") + element("op", a) + answer);
    symlinkSync("/etc/passwd", join(dirname(from), "link.xsd"));
    expect(importing(from)).toThrow(/outside the document's folder/);
  });

  it("whose schemas import each other in a circle is read", () => {
    const schema = (other: string, inside: string): string =>
      `<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema">${include(other)}${inside}</x:schema>`;
    const from = wsdlWith(include("one.xsd") + element("op", a) + answer, {
      "one.xsd": schema("two.xsd", ""),
      "two.xsd": schema("one.xsd", ""),
    });
    expect(importing(from)().endpoints).toHaveLength(1);
  });

  it("that refers to an address says that it is not fetched", () => {
    const from = wsdlWith(
      '<x:import namespace="u:b" schemaLocation="http://127.0.0.1:1/b.xsd"/>' +
        element("op", '<x:element xmlns:b="u:b" name="a" type="b:B"/>') +
        answer,
    );
    expect(importing(from)().losses).toContainEqual(
      expect.objectContaining({
        severity: "lost",
        effect: expect.stringMatching(
          /no schema declares; http:\/\/127.0.0.1:1\/b.xsd is not fetched/,
        ),
      }),
    );
  });

  it.each([
    [
      "10,000 elements",
      Array.from(
        { length: 10_000 },
        (_, index) => `<x:element name="f${index}" type="x:int"/>`,
      ).join(""),
      "",
      /more than 2000 fields/,
    ],
    [
      "a type that extends itself",
      '<x:element name="a" type="t:A"/>',
      '<x:complexType name="A"><x:complexContent><x:extension base="t:A"/></x:complexContent></x:complexType>',
      /made of itself/,
    ],
    [
      "a simple type of itself",
      '<x:element name="a" type="t:A"/>',
      '<x:simpleType name="A"><x:restriction base="t:A"/></x:simpleType>',
      /made of itself/,
    ],
    [
      "groups that double with each level",
      '<x:group ref="t:g0"/>',
      `${Array.from(
        { length: 30 },
        (_, level) =>
          `<x:group name="g${level}"><x:sequence><x:group ref="t:g${level + 1}"/><x:group ref="t:g${level + 1}"/></x:sequence></x:group>`,
      ).join("")}<x:group name="g30"><x:sequence/></x:group>`,
      /made of too many parts/,
    ],
    [
      "a type that is not there",
      '<x:element name="a" type="t:Missing"/>',
      "",
      /which no schema declares/,
    ],
    ["a prefix that is not declared", '<x:element name="a" type="q:Missing"/>', "", /not declared/],
  ])("with %s loses the operation, with the reason", (_, inside, more, reason) => {
    const { endpoints, losses } = importedWith(inside, more);
    expect(endpoints).toEqual([]);
    expect(losses).toContainEqual(
      expect.objectContaining({ severity: "lost", effect: expect.stringMatching(reason) }),
    );
  });

  it("cannot put code into the package", () => {
    const hostile = "*/ globalThis.hit = 1; /* `globalThis.hit = 1`";
    const imported = importedWith(
      `<x:element name="a" type="x:string"><x:annotation><x:documentation>${hostile}</x:documentation></x:annotation></x:element>`,
    );
    for (const [path, text] of packageFiles({ id: provider }, imported, new Map())) {
      if (!path.endsWith(".ts")) continue;
      const code = text
        .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
        .replaceAll(/\/\*[\s\S]*?\*\//g, "");
      expect(code, path).not.toMatch(/\bglobalThis\b/);
    }
  });
});
