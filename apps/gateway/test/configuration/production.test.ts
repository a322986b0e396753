import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";
import { loadConfiguration } from "../../src/configuration/load.ts";
import { refuseUnsafe } from "../../src/configuration/production.ts";

const safe = {
  listen: { host: "0.0.0.0", tlsEndsBefore: true, trustedProxies: ["10.0.0.0/8"] },
  issuers: [
    {
      issuer: "https://login.example",
      audience: "insurance-gateway",
      jwksUri: "https://login.example/keys",
      algorithms: ["ES256"],
      scopesRequired: true,
    },
  ],
  submissions: { keys: [{ id: "one", secret: { env: "SUBMISSIONS_KEY" } }] },
  providers: [
    {
      package: "@insurance-gateway/provider-a",
      upstream: { baseUrl: "https://api.insurer.example", adapter: "declared" },
    },
  ],
};

function refused(changed: object): Promise<void> {
  const folder = makeGatewayFolder({ ...safe, ...changed });
  onTestFinished(() => folder.remove());
  const environment = {
    NODE_ENV: "production",
    SUBMISSIONS_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
  return refuseUnsafe(loadConfiguration(environment, folder.path), environment);
}

it("a start in production is refused for a single fault", async () => {
  await expect(refused({})).resolves.toBeUndefined();
  await expect(refused({ submissions: {} })).rejects.toMatchObject({
    faults: [expect.stringMatching(/^submissions\.keys: /)],
  });
});
