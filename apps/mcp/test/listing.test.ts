import type { Provider } from "@insurance-gateway/core/contract";
import { providerD } from "@insurance-gateway/provider-d";
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import type { ServedTool } from "../src/tools/served-tools.ts";
import { createToolList } from "../src/tools/served-tools.ts";
import { connect } from "./harness/in-process.ts";

const names = Array.from({ length: 250 }, (_, index) => `listThings${index}`);

/** A provider with a lookup for each name. */
const large: Provider = {
  ...providerD,
  endpoints: Object.fromEntries(
    names.map((name) => [name, { ...providerD.endpoints.searchApplications, path: `/${name}` }]),
  ),
};

describe("the list of tools", () => {
  it("the MCP server lists its tools in pages of a hundred, which together contain every tool once", async () => {
    const client = await connect({ provider: large });
    const sizes: number[] = [];
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      sizes.push(page.tools.length);
      listed.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual([100, 100, 51]);
    expect(listed).toEqual([...names.map((name) => `provider-d_${name}`), "provider_status"]);
  });

  it.each(["", "0", "50", "300", "-100", "1e2", "x"])(
    "the MCP server rejects a request for the list of tools with an invalid cursor: %j",
    async (cursor) => {
      const client = await connect({ provider: large });
      await expect(client.listTools({ cursor })).rejects.toMatchObject({
        code: ErrorCode.InvalidParams,
      });
    },
  );

  it("the MCP server creates the description of a tool only once, even if clients list the tools repeatedly", () => {
    let written = 0;
    const tool: ServedTool = {
      name: "t",
      kind: "lookup",
      listed() {
        written += 1;
        return { name: "t", inputSchema: { type: "object" } };
      },
      answer: () => Promise.reject(new Error("not called")),
      answerError: () => ({ result: { content: [] }, message: "failed", fields: {} }),
    };
    const list = createToolList([tool]);
    expect(list("person", undefined)).toEqual(list("person", undefined));
    expect(written).toBe(1);
  });

  it("the MCP server does not offer notifications about changes of the list of tools", async () => {
    const client = await connect({ provider: large });
    expect(client.getServerCapabilities()).toEqual({ resources: {}, tools: {} });
  });
});
