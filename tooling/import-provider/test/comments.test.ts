import { describe, expect, it } from "vitest";
import { docComment } from "../src/source/comment.ts";
import { imported } from "./sample.ts";

/** Imports an endpoint with these texts and returns its description. */
function descriptionOf(texts: object): string | undefined {
  const { endpoints } = imported({ "/a": { get: { ...texts, responses: { 204: {} } } } });
  return endpoints[0]?.description;
}

it("the doc comment of a deprecated field starts with the note on deprecation", () => {
  const name = { type: "string", deprecated: true, default: "-", description: "The old name." };
  const schema = { type: "object", properties: { name } };
  const content = { "application/json": { schema } };
  const { endpoints } = imported({ "/a": { get: { responses: { 200: { content } } } } });
  expect(JSON.stringify(endpoints[0]?.answers)).toContain(
    JSON.stringify("Deprecated by the insurer.\nThe old name.\nDefault: `-`."),
  );
});

it("the doc comment of a field contains the descriptions of items and alternatives that have no separate type", () => {
  const codes = { type: "array", items: { $ref: "#/components/schemas/Code" } };
  const either = { oneOf: [{ $ref: "#/components/schemas/Code" }, { type: "integer" }] };
  const schema = { type: "object", properties: { codes, either } };
  const content = { "application/json": { schema } };
  const { endpoints } = imported(
    { "/a": { get: { responses: { 200: { content } } } } },
    { Code: { type: "string", description: "A code of the manual." } },
  );
  const answers = JSON.stringify(endpoints[0]?.answers);
  expect(answers).toContain('"description":"Each item: A code of the manual."');
  expect(answers).toContain('"description":"- A code of the manual."');
});

describe("the doc comment of an endpoint", () => {
  it("the doc comment of an endpoint starts with the summary of the operation as a separate sentence", () => {
    expect(
      descriptionOf({ summary: "List policies", description: "Lists the open policies." }),
    ).toBe("List policies.\n\nLists the open policies.");
    expect(descriptionOf({ summary: "is it open?" })).toBe("Is it open?");
    expect(descriptionOf({ summary: "eClaims of a day" })).toBe("eClaims of a day.");
  });

  it.each([
    ["ping", "Ping."],
    ["list, filter and sort", "List, filter and sort."],
    ["de-activate a policy", "De-activate a policy."],
    ["iOS", "iOS."],
    ["ipv4 addresses", "ipv4 addresses."],
    ["get_policies", "get_policies."],
    ["policies.list", "policies.list."],
  ])(
    "the doc comment of an endpoint starts with a capital letter unless the first word is a name: %s → %s",
    (summary, text) => {
      expect(descriptionOf({ summary })).toBe(text);
    },
  );

  it("the doc comment of an endpoint contains the summary only once even if the description starts with the summary", () => {
    expect(descriptionOf({ summary: "List policies", description: "List policies." })).toBe(
      "List policies.",
    );
    expect(
      descriptionOf({ summary: "List policies", description: "list policies\n\nNewest first." }),
    ).toBe("List policies.\n\nNewest first.");
    expect(
      descriptionOf({
        summary: "List policies",
        description: "List policies. Newest first.\n\nAt most 100.",
      }),
    ).toBe("List policies.\n\nNewest first.\n\nAt most 100.");
    expect(
      descriptionOf({
        summary: "List policies, e.g. of a car",
        description: "List policies, e.g. of a car. Newest first.",
      }),
    ).toBe("List policies, e.g. of a car.\n\nNewest first.");
  });

  it("the doc comment of an endpoint contains the note on deprecation and the first sentences of one long paragraph", () => {
    const description = "Newest first. ".repeat(200);
    const texts = { summary: "List policies", description, deprecated: true };
    expect(docComment(descriptionOf(texts) ?? "", 0)).toMatch(
      /^\/\*\*\n \* List policies\.\n \*\n \* Deprecated by the insurer\.\n \*\n \* Newest first\. .* first\.\n \*\/\n$/s,
    );
  });

  it("the doc comment of an endpoint ends after a whole paragraph if the description is too long", () => {
    const paragraph = `${"word ".repeat(150).trim()}.`;
    const table = `The fields:\n\n| a | b |\n${"| 1 | 2 |\n".repeat(300)}`;
    const text = docComment(`${paragraph}\n\n${paragraph}\n\n${table}`, 0);
    expect(text).not.toMatch(/\||fields/);
    expect(text).toMatch(/word\.\n \*\/\n$/);
  });

  it("the doc comment of an endpoint ends after a whole sentence if one paragraph is too long", () => {
    const text = docComment(`Newest first.\n\n${"One sentence. ".repeat(200)}`, 0);
    expect(text).toMatch(/Newest first\.\n \*\n \* One sentence\. .* sentence\.\n \*\/\n$/s);
    expect(text.length).toBeGreaterThan(1_900);
  });

  it("the doc comment of an endpoint does not end inside a table or after the number of a list item", () => {
    const rows = "| a | A name. |\n".repeat(300);
    expect(docComment(`Newest first. The fields:\n${rows}`, 0)).toBe("/** Newest first. */\n");
    const items = `Newest first.\n1. ${"word ".repeat(300)}\n2. ${"word ".repeat(300)}`;
    expect(docComment(items, 0)).toBe("/** Newest first. */\n");
  });

  it.each(["```", "~~~~"])(
    "the doc comment of an endpoint ends before a code block that does not fit: %s",
    (fence) => {
      const code = `${fence}json\n{ "a": "First. " }\n\n${'{ "b": "Second. " }\n'.repeat(120)}${fence}`;
      const text = docComment(`Newest first.\n\n${code}\n\nLast.`, 0);
      expect(text).toBe("/** Newest first. */\n");
    },
  );

  it.each(["", "As in:\n"])(
    "the doc comment of an endpoint omits a code block that does not fit, even if the only text before the block is %j",
    (before) => {
      const code = `${before}\`\`\`json\n${'{ "b": "Second. " }\n'.repeat(120)}\`\`\``;
      expect(docComment(code, 0)).toBe(before === "" ? "" : "/** As in … */\n");
    },
  );

  it("the doc comment of an endpoint contains a whole code block that fits, with the block's empty lines", () => {
    const code = "```json\n[\n\n  1,\n\n  2\n]\n```";
    const text = docComment(`As in:\n\n${code}\n\n${"One sentence. ".repeat(200)}`, 0);
    expect(text).toMatch(
      /^\/\*\*\n \* As in:\n \*\n \* ```json\n \* \[\n \*\n \* {3}1,\n \*\n \* {3}2\n \* \]\n \* ```\n \*\n \* One/,
    );
  });

  it("the doc comment of an endpoint omits a table that does not fit and shortens the sentence that introduces the table", () => {
    const table = `| a | b |\n${"| 1 | 2 |\n".repeat(300)}`;
    expect(docComment(`The fields:\n\n${table}`, 0)).toBe("/** The fields … */\n");
  });

  it.each([
    ["inline code at the start of a line", "```policy``` is the number."],
    ["a fence followed by text", "````a``` is no fence."],
  ])(
    "the doc comment of an endpoint includes the text after a line that only looks like the start of a code block: %s",
    (_, line) => {
      const paragraph = `${"word ".repeat(150).trim()}.`;
      const text = docComment(`${line}\n\n${paragraph}\n\n${paragraph}\n\n${paragraph}`, 0);
      expect(text).toContain(line);
      expect(text.match(/word\./g)).toHaveLength(2);
    },
  );

  it("the doc comment of an endpoint includes the text after a line that starts with inline code", () => {
    const sentence = "One more sentence. ";
    const text = docComment(
      `Begins.\n\`\`\`policy\`\`\` is the number.\n${sentence.repeat(120)}`,
      0,
    );
    expect(text).toContain("```policy``` is the number.");
    expect(text).toContain(sentence.trim());
  });

  it("the doc comment of an endpoint cuts a single long paragraph after a sentence, or after a word if no sentence fits", () => {
    expect(docComment("One sentence. ".repeat(200), 0)).toMatch(/ sentence\.\n \*\/\n$/);
    expect(docComment("word ".repeat(600), 0)).toMatch(/ word …\n \*\/\n$/);
  });
});
