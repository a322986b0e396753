import { describe, expect, it } from "vitest";
import { parseXml, writeXml } from "../src/soap/index.ts";

const laughs = Array.from(
  { length: 10 },
  (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
).join("");

/** Documents that a parser must refuse, quickly and with little memory. */
const hostile: Readonly<Record<string, string>> = {
  "nested entities (a billion laughs)": `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "ha">${laughs}]><a>&l10;</a>`,
  "an external entity": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
  "an external document type": '<!doctype a SYSTEM "http://127.0.0.1:1/a.dtd"><a/>',
  "a parameter entity": '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:1/">%p;]><a/>',
  "a long entity that is used often": `<!DOCTYPE a [<!ENTITY x "${"x".repeat(50_000)}">]><a>${"&x;".repeat(50_000)}</a>`,
  "an undeclared entity": "<a>&x;</a>",
  "an entity named like an object's method": "<a>&toString;</a>",
  "an entity named __proto__": '<a b="&__proto__;"/>',
  "a reference without its semicolon": "<a>&amp</a>",
  "a reference beyond the last character": "<a>&#x110000;</a>",
  "a reference to the character zero": "<a>&#0;</a>",
  "the character zero": "<a>\0</a>",
  "a surrogate pair as two references": "<a>&#xD83D;&#xDE00;</a>",
  "a reference to half of a surrogate pair": '<a b="&#xDFFF;"/>',
  "half of a surrogate pair": "<a>\ud83d</a>",
  "a million levels": "<a>".repeat(1_000_000),
  "65 levels": `${"<a>".repeat(65)}${"</a>".repeat(65)}`,
  "a million elements": `<a>${"<b/>".repeat(1_000_000)}</a>`,
  "two root elements": "<a/><b/>",
  "no root element": "text",
  "no content": "",
  "a missing end tag": "<a><b></a>",
  "an undeclared prefix": "<x:a/>",
  "an attribute twice": '<a b="1" b="2"/>',
};

describe("an XML document", () => {
  it.each(Object.entries(hostile))("the XML parser refuses a document with %s", (_, document) => {
    const before = process.memoryUsage().rss;
    expect(parseXml(document)).toBeNull();
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  it("the XML parser finds the namespace of each element regardless of the prefixes", () => {
    const root = parseXml(
      '<x:a xmlns:x="u:1" xmlns="u:2"><b><x:c xmlns:x="u:3"/></b><d xmlns=""/></x:a>',
    );
    expect(root).toMatchObject({
      name: "a",
      namespace: "u:1",
      children: [
        { name: "b", namespace: "u:2", children: [{ name: "c", namespace: "u:3" }] },
        { name: "d", namespace: "" },
      ],
    });
  });

  it("the XML parser keeps an element's text unchanged: zeros, spaces, Greek letters, CDATA", () => {
    const textOf = (xml: string): string | undefined => parseXml(xml)?.text;
    expect(textOf("<a>012345678</a>")).toBe("012345678");
    expect(textOf("<a> 1e5 </a>")).toBe(" 1e5 ");
    expect(textOf("<a>&lt;&amp;lt;&#x391;&#945;&gt;</a>")).toBe("<&lt;Αα>");
    expect(textOf("<a>x<![CDATA[<b>&amp;]]>y</a>")).toBe("x<b>&amp;y");
    expect(textOf("<a>ΙΚΥ-1234<!-- no -->5</a>")).toBe("ΙΚΥ-12345");
  });

  it("the XML parser returns long texts completely from elements, from CDATA sections and next to references", () => {
    const long = "JVBERi0x\n".repeat(20_000);
    const root = parseXml(
      `<a><b>${long}</b><c>&lt;${long}</c><d><![CDATA[>${long}]]></d>${long}</a>`,
    );
    expect(root?.children.map(({ text }) => text)).toEqual([long, `<${long}`, `>${long}`]);
    expect(root?.text).toBe(long);
  });

  it("a reference in an XML document cannot imitate the parser's placeholder for a long text", () => {
    const long = "JVBERi0x".repeat(10_000);
    const references = "&#xF0000;0&#xF0000;".repeat(1_000);
    const root = parseXml(`<a><b>${long}</b><c>${references}</c></a>`);
    expect(root?.children.map(({ text }) => text)).toEqual([
      long,
      "\u{F0000}0\u{F0000}".repeat(1_000),
    ]);
  });

  it("the namespace prefixes that an XML element declares take precedence over the prefixes of outer elements", () => {
    const inner = '<p:b xmlns:p="u:2" q="1"><p:c/></p:b><p:d/>';
    const root = parseXml(`<p:a xmlns:p="u:1">${inner}</p:a>`);
    expect(root?.children.map(({ namespace }) => namespace)).toEqual(["u:2", "u:1"]);
    expect(root?.children[0]?.children[0]?.namespace).toBe("u:2");
    expect(parseXml("<constructor:a/>")).toBeNull();
  });

  it("the XML parser accepts a document with at most 64 levels and 200,000 tags", () => {
    const levels = (count: number): string => "<a>".repeat(count) + "</a>".repeat(count);
    expect([64, 65].map((count) => parseXml(levels(count)) === null)).toEqual([false, true]);
    // Every `<` counts, even in a CDATA section, because it could begin a tag.
    const signs = (count: number): string => `<a><![CDATA[${"<".repeat(count - 3)}]]></a>`;
    expect(parseXml(signs(200_000))?.text).toHaveLength(199_997);
    expect(parseXml(signs(200_001))).toBeNull();
  });

  it("the XML parser recognises an element that is marked as having no value (`xsi:nil`)", () => {
    const nil = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"';
    expect(parseXml(`<a ${nil} i:nil="true"/>`)?.isNil).toBe(true);
    expect(parseXml('<a xmlns:i="u:x" i:nil="true" xml:lang="el"/>')?.isNil).toBe(false);
  });

  it("the XML parser reads the same values that the XML writer has written", () => {
    const value = `<Ο'Brien> & "Σία" ]]> &amp; 007`;
    const written = writeXml({ a: { "@xmlns": "u:1", b: value, c: ["1", "2"] } });
    expect(written).toContain('<?xml version="1.0" encoding="UTF-8"?>');
    expect(parseXml(written)).toMatchObject({
      children: [{ text: value }, { name: "c", text: "1" }, { name: "c", text: "2" }],
    });
  });

  it("the XML writer writes white space as a character reference if parsers would change the white space", () => {
    const written = writeXml({ a: { "@b": "1\t2\r\n3", "#text": "1\t2\r\n3" } });
    expect(written).toContain('<a b="1&#9;2&#13;&#10;3">1\t2&#13;\n3</a>');
    expect(parseXml(written)).toMatchObject({
      text: "1\t2\r\n3",
      attributes: [{ value: "1\t2\r\n3" }],
    });
  });

  it("an XML element named like a property of the object prototype is an ordinary element", () => {
    expect(parseXml("<a><__proto__>1</__proto__><constructor/></a>")?.namespace ?? "").toBe("");
    expect(Reflect.get({}, "1")).toBeUndefined();
  });
});
