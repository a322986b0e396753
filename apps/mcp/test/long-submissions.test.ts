import { createGateway } from "@insurance-gateway/core";
import { providerD } from "@insurance-gateway/provider-d";
import { expect, it } from "vitest";
import { createSentSubmissions } from "../src/submissions/sent-submissions.ts";
import { submit } from "../src/submissions/submit.ts";
import { createTools } from "../src/tools/endpoint-tools.ts";

const values = (count: number): object => ({ body: Array.from({ length: count }, () => "x") });

it.each([
  ["values", values(51)],
  ["characters", { body: "x".repeat(10_000) }],
])(
  "the MCP server refuses a submission, and asks no person to confirm, if the submission has too many %s for a person",
  async (_, parts) => {
    expect(await answerTo(parts)).toEqual({ asked: 0, code: "CONFIRMATION_TOO_LONG" });
  },
);

it("the MCP server shows a person all values of a submission with fifty values", async () => {
  expect(await answerTo(values(50))).toEqual({ asked: 51, code: "NOT_CONFIRMED" });
});

/** Calls the tool as a person who declines. Returns the number of lines in the question, and the code of the answer. */
async function answerTo(parts: object): Promise<{ asked: number; code: unknown }> {
  const [tool] = createTools([{ provider: providerD, texts: new Map() }], ["submission"]);
  if (tool === undefined) throw new TypeError("There is no tool");
  let asked = 0;
  const { result } = await submit(
    tool,
    { parts, idempotencyKey: "k", confirmation: null },
    {
      gateway: createGateway({ baseUrl: "http://127.0.0.1:9", token: "t" }),
      sent: createSentSubmissions(),
      isCancelled: () => false,
      confirmation: {
        by: "person",
        ask(question) {
          asked = question.split("\n").length;
          return Promise.resolve("declined");
        },
      },
    },
  );
  expect(result.structuredContent).toMatchObject({
    outcome: "unknown",
    retry: "after_check",
  });
  return { asked, code: result.structuredContent?.code };
}
