import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { drawBarChart } from "../src/bar-chart.ts";

const chart = drawBarChart({
  title: "Time & place",
  about: "Shorter is better.",
  source: `Measured on 2026-11-23 with ${"many words ".repeat(30)}`,
  groups: [
    {
      name: "quote",
      bars: [
        { name: "a < b", value: 50, label: "50 µs", isOwn: false },
        { name: "own", value: 100, label: "100 µs", interval: [90, 110], wanted: 25, isOwn: true },
      ],
    },
  ],
});
const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "" });
const { svg } = parser.parse(chart);

describe("a chart", () => {
  it("is a well-formed SVG image", () => {
    expect(XMLValidator.validate(chart)).toBe(true);
    expect(svg.xmlns).toBe("http://www.w3.org/2000/svg");
  });

  it("has a description for those who do not see it", () => {
    expect(svg["aria-labelledby"]).toBe("title about");
    expect(svg.title["#text"]).toBe("Time & place");
    expect(svg.desc["#text"]).toBe("Shorter is better. quote: a < b 50 µs, own 100 µs.");
  });

  it("has bars as long as their values, the own one in its colour, and marks for interval and wanted", () => {
    const [other, own] = svg.rect;
    expect([other.class, own.class]).toEqual(["bar", "own"]);
    expect(Number(own.width)).toBeCloseTo(2 * Number(other.width), 0);
    const [interval, wanted] = svg.line;
    expect(Number(interval.x2) - 250).toBeCloseTo(1.1 * Number(own.width), 0);
    expect(wanted.class).toBe("wanted");
    expect(Number(wanted.x1) - 250).toBeCloseTo(Number(own.width) / 4, 0);
  });

  it("wraps a long source and leaves no word out", () => {
    const lines = svg.text.filter(({ y }: { y: string }) => Number(y) > 100);
    const words = lines.map((line: { "#text": string }) => line["#text"].trim()).join(" ");
    expect(words.match(/many words/g)).toHaveLength(30);
    for (const line of lines) expect(line["#text"].length).toBeLessThanOrEqual(131);
  });

  it("has colours for dark pages too", () => {
    expect(svg.style).toContain("@media (prefers-color-scheme: dark)");
  });
});
