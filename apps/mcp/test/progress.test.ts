import { providerD } from "@insurance-gateway/provider-d";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { application, TOOL } from "./harness/applications.ts";
import { connect, type InProcessOptions } from "./harness/in-process.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

/** Calls a tool of a server that reports progress every millisecond. `third` resolves with the third report. */
async function call(
  name: string,
  given: object,
  serving: (third: Promise<void>) => InProcessOptions | Promise<InProcessOptions>,
): Promise<unknown> {
  const third = Promise.withResolvers<void>();
  const client = await connect({ ...(await serving(third.promise)), progressEveryMs: 1 });
  const signs: number[] = [];
  const result = await client.request(
    { method: "tools/call", params: { name, arguments: { ...given } } },
    CallToolResultSchema,
    { onprogress: ({ progress }) => void (signs.push(progress) === 3 && third.resolve()) },
  );
  expect(signs.slice(0, 3)).toEqual([1, 2, 3]);
  return result.structuredContent;
}

describe("slow calls", () => {
  it("the MCP server reports progress while the insurer works", async () => {
    const page = { items: [], start: 1, limit: 20, total: 0 };
    const given = { query: { clientAfm: "123456789" } };
    const answer = await call("provider-d_searchApplications", given, async (third) => ({
      provider: providerD,
      gateway: await startSimulatedGateway((_, response) => {
        const head = { "content-type": "application/json" };
        void third.then(() => response.writeHead(200, head).end(JSON.stringify(page)));
      }),
    }));
    expect(answer).toEqual(page);
  });

  it("the MCP server reports progress while it waits for a person", async () => {
    const answer = await call(TOOL, application("123456789"), (third) => ({
      provider: providerD,
      person: () => third.then(() => ({ action: "decline" })),
    }));
    expect(answer).toMatchObject({ code: "NOT_CONFIRMED", outcome: "unknown" });
  });
});
