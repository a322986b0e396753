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

/** A file with a token; it is removed with the test. */
function fileWith(token: string): string {
  const folder = mkdtempSync(join(tmpdir(), "insurance-gateway-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "token");
  writeFileSync(file, `${token}\n`);
  return file;
}

describe("a token in a file", () => {
  it("is read again when the gateway refuses its token", async () => {
    const tokenFile = fileWith("a.b.c");
    const mcp = await startApplying(gateway, { tokenFile });
    expect(contentOf(await mcp.call("provider-a_listBrands"))).toMatchObject({
      code: "UNAUTHENTICATED",
      next: expect.stringMatching(/GATEWAY_TOKEN, .* GATEWAY_TOKEN_FILE/),
    });
    writeFileSync(tokenFile, gateway.token);
    // Two refusals in a row are a second apart, so that a wrong file is not read all the time.
    await expect
      .poll(async () => contentOf(await mcp.call("provider-a_listBrands")), { timeout: 15_000 })
      .toHaveProperty("items");
  });

  it("stops a call before anything is sent if the file does not exist", async () => {
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
