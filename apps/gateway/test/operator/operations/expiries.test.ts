import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { describe, expect, it } from "vitest";
import { account, CLAIM, ONE } from "../../harness/brokers.ts";
import { makeCertificate } from "../../harness/client-certificate.ts";
import { insurerConfiguration, startInProcess } from "../../harness/gateway-in-process.ts";

/** The expiry of the account's credentials. The provider's credentials expire later. */
const JANUARY = Date.parse("2027-01-31") / 1_000;

describe("the expiry dates", () => {
  it("the gateway's metrics contain the earliest expiry of each insurer's credentials and certificates", async () => {
    const [own, client, token] = await Promise.all([2031, 2033, 2032].map(makeCertificate));
    const bearer = { type: "bearer", token: { env: "SECRET" } };
    const tls = { client: { certificate: { file: "client.pem" }, key: { env: "CLIENT_KEY" } } };
    const tokenTls = { client: { certificate: { file: "token.pem" }, key: { env: "TOKEN_KEY" } } };
    const oauth2 = {
      type: "oauth2",
      tokenUrl: "https://login.example/token",
      clientId: "broker",
      clientSecret: { env: "SECRET" },
      tls: tokenTls,
    };
    const insurer = "https://insurer.example";
    const providers = [
      insurerConfiguration("a", insurer, { credentials: { ...bearer, expires: "2027-03-01" } }),
      insurerConfiguration("d", insurer, { credentials: oauth2, tls }),
      insurerConfiguration("b", insurer, { credentials: bearer }),
    ];
    const north = {
      ...account("north-a", "north", { segment: "provider-a" }),
      credentials: { ...bearer, expires: "2027-01-31" },
    };
    const configuration = {
      providers,
      listen: { tls: { certificate: { file: "own.pem" }, key: { env: "OWN_KEY" } } },
      issuers: [
        {
          issuer: ONE,
          jwksUri: "https://login.example/keys",
          audience: "gateway",
          algorithms: ["RS256"],
        },
      ],
      accounts: { claim: CLAIM, list: [north] },
    };
    const folder = makeGatewayFolder(configuration);
    for (const [name, made] of Object.entries({ own, client, token }))
      writeFileSync(join(folder.path, `${name}.pem`), made?.cert ?? "");
    const keys = { OWN_KEY: own?.key, CLIENT_KEY: client?.key, TOKEN_KEY: token?.key };
    const environment = Object.fromEntries(
      Object.entries(keys).map(([name, key]) => [name, key ?? ""]),
    );
    const gateway = await startInProcess(
      configuration,
      { SECRET: "secret", ...environment },
      { folder },
    );
    const text = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
    await gateway.stop();
    const shown = [...text.matchAll(/^insurance_gateway_expires_at\{(.*)\} (\S+)$/gm)];
    expect(Object.fromEntries(shown.map(([, labels, at]) => [labels, Number(at)]))).toEqual({
      'provider="provider-a",what="credentials"': JANUARY,
      'provider="provider-d",what="client_certificate"': Date.UTC(2032, 0, 1) / 1_000,
      'provider="",what="certificate"': Date.UTC(2031, 0, 1) / 1_000,
    });
  });
});
