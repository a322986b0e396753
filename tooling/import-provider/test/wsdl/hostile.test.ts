import { symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFiles } from "../../src/package-files.ts";
import { answer, element, importedWith, importing, wsdlWith } from "../small-wsdl.ts";

describe("hostile WSDL files", () => {
  const a = '<x:element name="a" type="x:int"/>';
  const include = (location: string): string => `<x:include schemaLocation="${location}"/>`;

  it.each([
    [
      "an entity bomb",
      '<!DOCTYPE a [<!ENTITY a "ha">]>',
      /document type, which could declare entities/,
    ],
    ["a tag without its end", "<x:element>", /main.wsdl is not readable XML: line \d+/],
    [
      "a file outside the WSDL's folder",
      include("../../etc/passwd"),
      /outside the document's folder/,
    ],
    ["an absolute file", include("/etc/passwd"), /outside the document's folder/],
    ["a missing file", include("missing.xsd"), /is not beside the document/],
    [
      "a name that is code",
      '<x:element name="a: globalThis.hit = 1"/>',
      /has the name .* which is not a valid name/,
    ],
    [
      "a name that changes objects",
      '<x:element name="__proto__" type="x:int"/>',
      /which is not a valid name/,
    ],
  ])("the importer refuses a hostile WSDL with the reason: %s", (_, schema, reason) => {
    expect(importing(wsdlWith(schema))).toThrow(reason);
  });

  it("the importer does not read a file outside the WSDL's folder through a symbolic link", () => {
    const from = wsdlWith(include("link.xsd") + element("op", a) + answer);
    symlinkSync("/etc/passwd", join(dirname(from), "link.xsd"));
    expect(importing(from)).toThrow(/outside the document's folder/);
  });

  it("the importer reads a WSDL with schemas that include each other in a cycle", () => {
    const schema = (other: string, inside: string): string =>
      `<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema">${include(other)}${inside}</x:schema>`;
    const from = wsdlWith(include("one.xsd") + element("op", a) + answer, {
      "one.xsd": schema("two.xsd", ""),
      "two.xsd": schema("one.xsd", ""),
    });
    expect(importing(from)().endpoints).toHaveLength(1);
  });

  it("the importer does not fetch a schema from a URL and reports the missing type as lost", () => {
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
      "a simple type that restricts itself",
      '<x:element name="a" type="t:A"/>',
      '<x:simpleType name="A"><x:restriction base="t:A"/></x:simpleType>',
      /made of itself/,
    ],
    [
      "an attribute group that contains itself",
      '<x:element name="a" type="t:A"/>',
      `<x:complexType name="A"><x:attributeGroup ref="t:g"/></x:complexType>
       <x:attributeGroup name="g"><x:attributeGroup ref="t:g"/></x:attributeGroup>`,
      /contains itself/,
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
    ["a missing type", '<x:element name="a" type="t:Missing"/>', "", /which no schema declares/],
    ["an undeclared prefix", '<x:element name="a" type="q:Missing"/>', "", /not declared/],
  ])(
    "the importer omits a WSDL operation and reports the reason if the operation's message has %s",
    (_, inside, more, reason) => {
      const { endpoints, losses } = importedWith(inside, more);
      expect(endpoints).toEqual([]);
      expect(losses).toContainEqual(
        expect.objectContaining({ severity: "lost", effect: expect.stringMatching(reason) }),
      );
    },
  );

  it("a documentation text in a WSDL cannot become code in the imported package", () => {
    const hostile = "*/ globalThis.hit = 1; /* `globalThis.hit = 1`";
    const imported = importedWith(
      `<x:element name="a" type="x:string"><x:annotation><x:documentation>${hostile}</x:documentation></x:annotation></x:element>`,
    );
    for (const [path, text] of packageFiles({ id: "provider-x" }, imported, new Map())) {
      if (!path.endsWith(".ts")) continue;
      const code = text
        .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
        .replaceAll(/\/\*[\s\S]*?\*\//g, "");
      expect(code, path).not.toMatch(/\bglobalThis\b/);
    }
  });
});
