import { describe, expect, it } from "vitest";
import { createSentSubmissions } from "../src/submissions/sent-submissions.ts";

const submission = (
  idempotencyKey: string,
  parts: object = {},
): Parameters<ReturnType<typeof createSentSubmissions>["add"]>[0] => ({
  tool: "t",
  parts,
  idempotencyKey,
});

describe("remembered submissions", () => {
  it("the MCP server recognises a repeated submission by tool, input and key, and a repeated key with another input", () => {
    const sent = createSentSubmissions();
    sent.add(submission("a", { b: 1, c: 2 }));
    expect(sent.find(submission("a", { c: 2, b: 1 }))).toBe("sent");
    expect(sent.find(submission("a"))).toBe("key sent");
    expect(sent.find({ ...submission("a"), tool: "u" })).toBe("not known");
    expect(sent.find(submission("z"))).toBe("not known");
  });

  it("the MCP server forgets the oldest submission when its memory is full", () => {
    const sent = createSentSubmissions(2);
    for (const key of ["a", "b", "c"]) sent.add(submission(key));
    expect(["a", "b", "c", "z"].map((key) => sent.find(submission(key)))).toEqual([
      "not known",
      "sent",
      "sent",
      "not known",
    ]);
  });
});
