import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  application,
  BY_CODE,
  confirmed,
  newAfm,
  startApplying,
  TOOL,
} from "./harness/applications.ts";
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
  it("is read again for every call", async () => {
    const tokenFile = fileWith("a.b.c");
    const mcp = await startApplying(gateway, { tokenFile });
    expect(contentOf(await mcp.call("provider-a_listBrands"))).toMatchObject({
      code: "UNAUTHENTICATED",
      next: expect.stringMatching(/GATEWAY_TOKEN, .* GATEWAY_TOKEN_FILE/),
    });
    writeFileSync(tokenFile, gateway.token);
    expect(contentOf(await mcp.call("provider-a_listBrands"))).toHaveProperty("items");
    rmSync(tokenFile);
    expect(contentOf(await mcp.call("provider-a_listBrands"))).toMatchObject({
      code: "TOKEN_UNAVAILABLE",
      outcome: "not_sent",
      next: expect.stringContaining("GATEWAY_TOKEN_FILE"),
    });
  });

  it("that is wrong later does not make a submission that was sent one that was not", async () => {
    const tokenFile = fileWith(gateway.token);
    const mcp = await startApplying(gateway, { tokenFile, parameters: BY_CODE });
    const given = application(newAfm());
    const first = contentOf(await confirmed(mcp, given));
    writeFileSync(tokenFile, "a.b.c");
    expect(contentOf(await mcp.call(TOOL, given))).toMatchObject({
      code: "UNAUTHENTICATED",
      outcome: "unknown",
      retry: "after_check",
      message: expect.stringContaining("may have been carried out"),
      next: expect.stringMatching(
        /GATEWAY_TOKEN_FILE.*idempotencyKey of the first.*submit it twice/,
      ),
    });
    writeFileSync(tokenFile, gateway.token);
    expect(contentOf(await mcp.call(TOOL, given))).toEqual(first);
  });
});
