import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeGatewayFolder, runCommand } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDevelopmentIssuer } from "../../src/callers/development-issuer.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { issuerConfiguration, makeToken } from "../harness/good-token.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { makeKeyPair } from "../harness/signing.ts";

describe("the development issuer", () => {
  let insurer: Insurer;
  let gateway: GatewayInProcess;
  beforeAll(async () => {
    insurer = await startInsurer(json(200, { items: [] }));
    gateway = await startInProcess({ providers: [insurerConfiguration("a", insurer.baseUrl)] });
  });
  afterAll(async () => {
    await gateway.stop();
    await insurer.close();
  });

  async function statusOf(token: string, at: GatewayInProcess = gateway): Promise<number> {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${at.address}/provider-a/auto/brands`, { headers })).status;
  }

  it("the command `token` prints only a token, whose subject, scope and lifetime follow the command's options", async () => {
    const { code, stdout, stderr } = await runCommand(
      gateway.folder.path,
      "token --subject broker-9 --scope provider-a:lookup --expires-in 60".split(" "),
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const claims = JSON.parse(Buffer.from(stdout.split(".")[1] ?? "", "base64url").toString());
    expect(claims).toMatchObject({ sub: "broker-9", scope: "provider-a:lookup" });
    expect(claims.exp - claims.iat).toBe(60);
    expect(await statusOf(stdout.trim())).toBe(200);
  });

  it("the gateway refuses a development token for a call outside the token's scope", async () => {
    const { stdout } = await runCommand(gateway.folder.path, [
      "token",
      "--scope",
      "provider-a:search",
    ]);
    expect(await statusOf(stdout.trim())).toBe(403);
  });

  it("the gateway refuses development tokens if an issuer is configured", async () => {
    const pair = makeKeyPair("rsa", { kid: "rsa-1" });
    insurer.behaviour = json(200, { keys: [pair.jwk], items: [] });
    const configured = await startInProcess({
      providers: [insurerConfiguration("a", insurer.baseUrl)],
      issuers: [issuerConfiguration(`${insurer.baseUrl}/jwks`)],
    });
    expect(await statusOf(configured.token, configured)).toBe(401);
    expect(await statusOf(makeToken(pair), configured)).toBe(200);
    await configured.stop();
  });

  it("the gateway refuses a development token of another gateway folder", async () => {
    const other = await startInProcess({ providers: [insurerConfiguration("a", insurer.baseUrl)] });
    expect(await statusOf(other.token)).toBe(401);
    await other.stop();
  });

  it.each(["serve", "token"])(
    "a command refuses to use the development issuer in production: %s",
    async (command) => {
      const { code, stderr } = await runCommand(gateway.folder.path, [command], {
        NODE_ENV: "production",
      });
      expect(code).toBe(78);
      expect(stderr).toContain("issuers:");
    },
  );

  it("the command `token` reports a file that contains no key of the development issuer", async () => {
    const folder = makeGatewayFolder({
      providers: [insurerConfiguration("a", insurer.baseUrl)],
      data: ".",
    });
    writeFileSync(join(folder.path, "development-issuer.json"), "{}");
    const { code, stderr, stdout } = await runCommand(folder.path, ["token"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("development-issuer.json contains no key of the development issuer");
    for (const text of ['{"d":"x"}', '{"kty":"EC"}', "{"]) {
      writeFileSync(join(folder.path, "development-issuer.json"), text);
      await expect(openDevelopmentIssuer(folder.path)).rejects.toThrow(/contains no key/);
    }
    folder.remove();
  });
});
