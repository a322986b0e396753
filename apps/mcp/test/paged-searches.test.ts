import { defineProvider, search } from "@insurance-gateway/core/contract";
import { strict, text, zodSchema } from "@insurance-gateway/core/schema";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { connect } from "./harness/in-process.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

interface Query {
  after?: string;
}
const provider = defineProvider({
  id: "provider-p",
  name: "Provider P",
  lines: ["motor"],
  endpoints: {
    listNotes: search<{ query: Query; item: string; page: string[] }>({
      provider: "provider-p",
      path: "/notes",
      query: strict<Query>({ after: z.exactOptional(text()) }),
      page: zodSchema<string[]>(z.array(z.string())),
      paging: { style: "link", position: "after", size: { usual: 2 }, items: "" },
    }),
  },
});

it("the tool for a search with cursors explains how to request the next page and returns the cursor of the gateway's answer", async () => {
  const gateway = await startSimulatedGateway((_, response) => {
    const headers = { "content-type": "application/json", "next-cursor": "n2" };
    response.writeHead(200, headers).end('["one","two"]');
  });
  const client = await connect({ provider, gateway });
  const [tool] = (await client.listTools()).tools;
  expect(tool?.description).toContain("Omit `query.after` for the first page");
  const { content } = await client.callTool({ name: "provider-p_listNotes", arguments: {} });
  expect(content).toEqual([
    { type: "text", text: '["one","two"]' },
    { type: "text", text: "next-cursor: n2" },
  ]);
});
