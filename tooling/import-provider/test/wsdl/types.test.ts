import { describe, expect, it } from "vitest";
import type { ImportedProvider } from "../../src/import-provider.ts";
import { bodyOf, extending, fieldsOf, importedWith, int, nodeOf } from "../small-wsdl.ts";

describe("XML Schema types", () => {
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
  ])("the importer converts the XML Schema type %s to %j", (type, schema) => {
    const imported = importedWith(`<x:element name="a" type="${type}"/>`);
    expect(bodyOf(imported)).toEqual([["a", true, schema]]);
  });

  it("the importer keeps the facets of XML Schema types, such as lengths, patterns, limits and enumerations", () => {
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
  ])(
    "the order of the imported fields is valid for both alternatives of an XML Schema choice: %j and %j",
    (one, other, order) => {
      const imported = importedWith(choice(sequence(...one), sequence(...other)));
      expect(fieldsOf(imported)?.map(({ name }) => name)).toEqual(order);
      expect(imported.losses.filter(({ severity }) => severity === "lost")).toEqual([]);
    },
  );

  it("the generated example contains one alternative of each choice, and decimals without a sign", () => {
    const decimal = '<x:element name="sum" type="x:decimal"/>';
    const { examples } = importedWith(
      choice(int("a"), int("b")) + choice(sequence("c"), sequence("d", "e")) + decimal,
    );
    expect(examples.get("op")?.request).toEqual({ body: { a: 1, c: 1, sum: "1" } });
  });

  it("an imported type has the attributes of the type's attribute groups and of nested attribute groups", () => {
    const imported = importedWith(
      '<x:element name="a" type="t:A"/>',
      `<x:complexType name="A"><x:attributeGroup ref="t:g"/></x:complexType>
       <x:attributeGroup name="g"><x:attribute name="code" type="x:string"/><x:attributeGroup ref="t:h"/></x:attributeGroup>
       <x:attributeGroup name="h"><x:attribute name="unit" type="x:string"/></x:attributeGroup>`,
    );
    const schema = fieldsOf(imported)?.[0]?.schema;
    const node = schema?.type === "named" ? schema.definition.node : schema;
    const names = node?.type === "object" ? node.fields.map(({ name }) => name) : [];
    expect(names).toEqual(["code", "unit"]);
  });

  it("a type that is imported from an XML schema with two choices requires one alternative of each choice", () => {
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

  it("the maximum count of an element in a repeated sequence is the product of the element's and the sequence's maximum counts", () => {
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

  it("the importer keeps the values of an enumeration of whole numbers, and reports 64-bit values as unchecked", () => {
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
        effect: expect.stringMatching(/A 64-bit number is not checked/),
      }),
    );
  });

  it("the pattern of an imported decimal limits the total number of digits before and after the point", () => {
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
      expect.objectContaining({
        effect: expect.stringMatching(/total number of digits of a decimal/),
      }),
    );
  });

  it("an imported type that contains itself through an element reference becomes one interface", () => {
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
      '<x:element name="b" type="t:B"/>',
      `<x:complexType name="A"><x:sequence/></x:complexType>${extending("B", "A", int("b")).replace("<x:complexContent", '<x:complexContent mixed="true"')}`,
      /Texts between the elements/,
    ],
    [
      '<x:element name="a" type="t:A"/>',
      '<x:complexType name="A" abstract="true"><x:sequence/></x:complexType>',
      /The type is abstract/,
    ],
    [
      '<x:element name="a" type="t:A"/>',
      `<x:complexType name="A"><x:sequence/></x:complexType>${extending("B", "A", int("b"))}`,
      /The type is extended by others: .* requests cannot name one \(xsi:type\)/,
    ],
    [
      '<x:element ref="t:head"/>',
      '<x:element name="head" type="x:string"/><x:element name="other" type="x:string" substitutionGroup="t:head"/>',
      /substitutionGroup/,
    ],
    [
      '<x:sequence maxOccurs="2"><x:element name="a" type="x:int"/><x:element name="b" type="x:int"/></x:sequence>',
      "",
      /which items belong together is lost/,
    ],
    ['<x:element name="a"/>', "", /does not say what the element contains/],
    [sequence("a", "b", "a"), "", /The element a appears in more than one place/],
    [choice(sequence("a", "b"), sequence("b", "a")), "", /the same elements in different orders/],
    [choice(int("a"), sequence("b", "a", "a")), "", /or repeat an element/],
    [choice(int("a"), int("a", 'maxOccurs="2"')), "", /the same element with different rules/],
  ])(
    "the importer reports a loss for an XML Schema construct that the imported package cannot express: %s",
    (inside, more, effect) => {
      const { losses } = importedWith(inside, more);
      expect(losses).toContainEqual(
        expect.objectContaining({
          operation: "POST /op",
          severity: "lost",
          effect: expect.stringMatching(effect),
        }),
      );
    },
  );

  it("the importer imports a type that extends an abstract type without loss", () => {
    const base = `<x:complexType name="A" abstract="true">${sequence("a")}</x:complexType>`;
    const { losses } = importedWith(
      '<x:element name="b" type="t:B"/>',
      base + extending("B", "A", int("b")),
    );
    expect(losses).toEqual([]);
  });
});
