import { existsSync } from "node:fs";
import { openDevelopmentIssuer } from "@insurance-gateway/gateway/token";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json } from "./gateway.ts";
import { type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.ts";

const brands = json(200, { items: [{ code: "TOY", name: "Toyota" }] });
const list = ["call", "provider-a", "listBrands"];
const token = { GATEWAY_TOKEN: "t" };

let gateway: ScriptedGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
  gateway.server.behaviour = brands;
});
afterAll(() => gateway.close());

describe("the token of a call", () => {
  it("the command `call` creates a development token for a gateway on this machine", async () => {
    await gateway.run(list);
    const issuer = await openDevelopmentIssuer(`${gateway.folder.path}/data`);
    const [, payload = ""] =
      gateway.server.arrivals.at(-1)?.headers.authorization?.split(".") ?? [];
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    expect(claims).toMatchObject({ iss: issuer.issuer, sub: "developer", scope: "*:*" });
    expect(claims.exp - claims.iat).toBe(300);
  });

  it.each([
    ["in production", { NODE_ENV: " Production " }, {}],
    ["if the configuration has issuers", {}, { issuers: [issuerOf("https://login.example")] }],
  ])(
    "the command `call` creates no development token %s",
    async (_, environment, configuration) => {
      const other = await startScriptedGateway(configuration);
      try {
        const { code, stderr } = await other.run(list, { environment });
        expect([code, stderr]).toEqual([
          2,
          "error: GATEWAY_TOKEN is not set; set GATEWAY_TOKEN to a token of this gateway\n(insurance-gateway call provider-a listBrands --help lists the flags)\n",
        ]);
        expect([other.server.arrivals.length, existsSync(`${other.folder.path}/data`)]).toEqual([
          0,
          false,
        ]);
        other.server.behaviour = brands;
        const given = await other.run(list, { environment: { ...environment, ...token } });
        expect(given.code).toBe(0);
      } finally {
        await other.close();
      }
    },
  );

  it("the command `call` sends no unencrypted token to another machine without --insecure-http", async () => {
    // This address leads to this machine, but does not look like a local address.
    const address = gateway.server.baseUrl.replace("127.0.0.1", "0.0.0.0");
    const parameters = [...list, "--gateway", address];
    const before = gateway.server.arrivals.length;
    const refused = await gateway.run(parameters, { environment: token });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--insecure-http")]);
    expect(gateway.server.arrivals.length).toBe(before);
    const wanted = await gateway.run([...parameters, "--insecure-http"], { environment: token });
    expect([wanted.code, wanted.stderr]).toEqual([0, ""]);
  });

  it.each([
    ["nowhere", "--gateway must be an absolute http or https address"],
    ["ftp://127.0.0.1", "--gateway"],
    ["http://u:p@127.0.0.1", "--gateway"],
  ])("the command `call` refuses an invalid gateway address: %s", async (address, fault) => {
    const { code, stderr } = await gateway.run([...list, "--gateway", address], {
      environment: token,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${fault}`)]);
    expect(stderr).not.toContain("baseUrl");
  });
});

function issuerOf(issuer: string): object {
  return { issuer, audience: "a", jwksUri: `${issuer}/jwks.json`, algorithms: ["RS256"] };
}
