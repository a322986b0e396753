import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startApplying } from "./harness/applications.ts";
import { startGateway, type TestGateway } from "./harness/gateways.ts";
import { contentOf } from "./harness/mcp-process.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** Creates a file with a token. The end of the test removes the file. */
function fileWith(token: string): string {
  const folder = mkdtempSync(join(tmpdir(), "insurance-gateway-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "token");
  writeFileSync(file, `${token}\n`);
  return file;
}

describe("token files", () => {
  it("the MCP server reads the token file again after the gateway refused the token", async () => {
    const tokenFile = fileWith("a.b.c");
    const mcp = await startApplying(gateway, { tokenFile });
    expect(contentOf(await mcp.call("provider-a_listBrands"))).toMatchObject({
      code: "UNAUTHENTICATED",
      next: expect.stringMatching(/GATEWAY_TOKEN, .* GATEWAY_TOKEN_FILE/),
    });
    writeFileSync(tokenFile, gateway.token);
    // The server waits a second between two readings of the file, so that it does not read a wrong file all the time.
    await expect
      .poll(async () => contentOf(await mcp.call("provider-a_listBrands")))
      .toHaveProperty("items");
  });

  it("the MCP server sends no request to the gateway if the token file does not exist", async () => {
    const tokenFile = fileWith("a.b.c");
    const mcp = await startApplying(gateway, { tokenFile });
    rmSync(tokenFile);
    expect(contentOf(await mcp.call("provider-a_listBrands"))).toMatchObject({
      code: "TOKEN_UNAVAILABLE",
      outcome: "not_sent",
      next: expect.stringContaining("GATEWAY_TOKEN_FILE"),
    });
  });
});
