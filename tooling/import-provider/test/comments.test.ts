import { describe, expect, it } from "vitest";
import { docComment } from "../src/source/comment.ts";
import { imported } from "./sample.ts";

/** The description of an endpoint with these texts in the document. */
function descriptionOf(texts: object): string | undefined {
  const { endpoints } = imported({ "/a": { get: { ...texts, responses: { 204: {} } } } });
  return endpoints[0]?.description;
}

describe("the doc comment of an endpoint", () => {
  it("has the summary as a sentence of its own", () => {
    expect(
      descriptionOf({ summary: "List policies", description: "Lists the open policies." }),
    ).toBe("List policies.\n\nLists the open policies.");
    expect(descriptionOf({ summary: "is it open?" })).toBe("Is it open?");
    expect(descriptionOf({ summary: "eClaims of a day" })).toBe("eClaims of a day.");
  });

  it("does not repeat the summary", () => {
    expect(descriptionOf({ summary: "List policies", description: "List policies." })).toBe(
      "List policies.",
    );
    expect(
      descriptionOf({ summary: "List policies", description: "list policies\n\nNewest first." }),
    ).toBe("List policies.\n\nNewest first.");
  });

  it("ends with a paragraph when the description is too long", () => {
    const paragraph = `${"word ".repeat(150).trim()}.`;
    const table = `The fields:\n\n| a | b |\n${"| 1 | 2 |\n".repeat(300)}`;
    const text = docComment(`${paragraph}\n\n${paragraph}\n\n${table}`, 0);
    expect(text).not.toMatch(/\||fields/);
    expect(text).toMatch(/word\.\n \*\/\n$/);
  });

  it("ends with a sentence or a word when one paragraph is too long", () => {
    expect(docComment("One sentence. ".repeat(200), 0)).toMatch(/ sentence\.\n \*\/\n$/);
    expect(docComment("word ".repeat(600), 0)).toMatch(/ word …\n \*\/\n$/);
  });
});
