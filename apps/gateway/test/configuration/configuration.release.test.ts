import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type GatewayFolder,
  makeGatewayFolder,
  runCommand,
  sandboxConfiguration,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterEach, describe, expect, it } from "vitest";

let folder: GatewayFolder;
afterEach(() => folder.remove());

const providerD = {
  package: "@insurance-gateway/provider-d",
  segment: "provider-d",
  upstream: {
    baseUrl: "http://127.0.0.1:9101",
    adapter: "declared",
    credentials: { type: "bearer", token: { env: "PROVIDER_D_TOKEN" } },
  },
  timeouts: { connectMs: 3000, totalMs: 15000, submissionMs: 45000 },
};

/** A configuration with the keys that the specification requires. */
const fixedShape = {
  listen: { host: "127.0.0.1", port: 8080 },
  operations: { host: "127.0.0.1", port: 9090 },
  data: "./data",
  issuers: [
    {
      issuer: "https://login.example",
      audience: "insurance-gateway",
      jwksUri: "http://127.0.0.1:9000/jwks",
      algorithms: ["RS256"],
    },
  ],
  providers: [providerD],
};

/** Returns the faults that `serve` prints for a configuration. */
async function faultsOf(
  configuration: unknown,
  environment: Record<string, string> = {},
): Promise<readonly string[]> {
  folder = makeGatewayFolder(configuration);
  const { code, stderr, stdout } = await runCommand(folder.path, ["serve"], environment);
  expect([code, stdout]).toEqual([78, ""]);
  return stderr
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.trim());
}

describe("the configuration file", () => {
  it("the gateway starts with a configuration in the documented form, and prints no secret", async () => {
    folder = makeGatewayFolder(fixedShape);
    const gateway = await startGatewayProcess(folder.path, { PROVIDER_D_TOKEN: "secret" });
    expect(gateway.output()).toContain("from your issuer");
    expect(gateway.output()).not.toContain("secret");
    const { code } = await gateway.stop();
    expect(code).toBe(0);
  });

  it("`serve` reports every fault of the configuration with the fault's path, and exits with code 78", async () => {
    const faults = await faultsOf({
      listen: { host: "", tls: true },
      colour: "blue",
      issuers: [{ ...fixedShape.issuers[0], algorithms: ["none"] }],
      providers: [
        { ...providerD, segment: "a/b", timeouts: { totalMs: 0 } },
        { ...providerD, upstream: { ...providerD.upstream, adapter: "soap", baseUrl: "ftp://x" } },
        { upstream: "sandbox" },
      ],
    });
    const paths = faults.map((fault) => fault.split(": ")[0] ?? "");
    expect(paths.toSorted()).toEqual(
      [
        "colour",
        "issuers[0].algorithms[0]",
        "listen.host",
        "listen.tls",
        "providers[0].segment",
        "providers[0].timeouts.totalMs",
        "providers[1].upstream.adapter",
        "providers[1].upstream.baseUrl",
        "providers[2].package",
      ].toSorted(),
    );
  });

  it("`serve` refuses a secret in the configuration file, and does not print the secret", async () => {
    const upstream = { ...providerD.upstream, credentials: { type: "bearer", token: "s3cret" } };
    const faults = await faultsOf({ providers: [{ ...providerD, upstream }] });
    expect(faults).toEqual([
      expect.stringMatching(/^providers\[0\]\.upstream\.credentials\.token: .*env/),
    ]);
    expect(faults.join()).not.toContain("s3cret");
  });

  it.each(["http://user:s3cret@127.0.0.1:9101", "http://127.0.0.1:9101?key=s3cret"])(
    "`serve` refuses an insurer's address with a user, a password or a query: %s",
    async (baseUrl) => {
      const upstream = { ...providerD.upstream, baseUrl, credentials: { type: "none" } };
      const faults = await faultsOf({ providers: [{ ...providerD, upstream }] });
      expect(faults).toEqual([expect.stringMatching(/^providers\[0\]\.upstream\.baseUrl: /)]);
      expect(faults.join()).not.toContain("s3cret");
    },
  );

  it("`serve` reports an issuer that the configuration contains twice, and a list in the place of an object", async () => {
    const { issuers } = fixedShape;
    const twice = { ...sandboxConfiguration, issuers: [...issuers, ...issuers] };
    expect(await faultsOf(twice)).toEqual(["issuers[1].issuer: appears twice"]);
    folder.remove();
    const [fault] = await faultsOf({ ...sandboxConfiguration, listen: [] });
    expect(fault).toMatch(/^listen: /);
  });

  it("`serve` names the environment variable of a missing secret", async () => {
    expect(await faultsOf({ providers: [providerD] })).toEqual([
      "providers[0].upstream.credentials.token: the environment variable PROVIDER_D_TOKEN is not set",
    ]);
  });

  it.each([
    [{ package: "@insurance-gateway/provider-y", upstream: "sandbox" }, "npm install"],
    [{ ...providerD, upstream: "sandbox", segment: "sandbox" }, "is reserved for the gateway"],
    [{ ...providerD, upstream: "sandbox", segment: "providers" }, "is reserved for the gateway"],
    [{ ...providerD, upstream: "sandbox", segment: "requests" }, "is reserved for the gateway"],
    [{ ...providerD, upstream: "sandbox", segment: "accounts" }, "is reserved for the gateway"],
  ])(
    "`serve` names a provider that is not installed or has a reserved segment: %o",
    async (provider, words) => {
      const [fault] = await faultsOf({ providers: [provider] });
      expect(fault).toMatch(/^providers\[0\]\.(package|segment): /);
      expect(fault).toContain(words);
    },
  );

  it("`serve` names a provider package that cannot be loaded, together with the configuration's other faults", async () => {
    folder = makeGatewayFolder({
      providers: [
        { package: "broken", upstream: "sandbox" },
        { package: "missing", upstream: "sandbox" },
      ],
    });
    const broken = join(folder.path, "node_modules", "broken");
    mkdirSync(broken);
    writeFileSync(join(broken, "package.json"), '{ "type": "module", "exports": "./index.js" }');
    writeFileSync(join(broken, "index.js"), 'import "not-installed";');
    const { code, stderr } = await runCommand(folder.path, ["serve"]);
    expect(code).toBe(78);
    expect(stderr).toMatch(/providers\[0\]\.package: .*not-installed/);
    expect(stderr).toMatch(/providers\[1\]\.package: missing is not installed/);
  });

  it("the gateway can serve one provider package under two segments", async () => {
    const [providerA] = sandboxConfiguration.providers;
    folder = makeGatewayFolder({ providers: [providerA, { ...providerA, segment: "second" }] });
    const gateway = await startGatewayProcess(folder.path);
    expect((await gateway.stop()).code).toBe(0);
  });

  it("`serve` refuses two providers with the same segment", async () => {
    const [one, other] = sandboxConfiguration.providers;
    const faults = await faultsOf({
      providers: [
        { ...one, segment: "same" },
        { ...other, segment: "same" },
      ],
    });
    expect(faults).toEqual(["providers[1].segment: same is used by another provider"]);
  });

  it("environment variables take precedence over the configuration file", async () => {
    expect(await faultsOf(fixedShape, { PORT: "eighty", PROVIDER_D_TOKEN: "x" })).toEqual([
      "PORT (environment): must be a port number from 0 to 65535",
    ]);
    folder.remove();
    folder = makeGatewayFolder({
      ...sandboxConfiguration,
      listen: { host: "203.0.113.1", port: 1 },
    });
    const gateway = await startGatewayProcess(folder.path, {
      HOST: "127.0.0.1",
      GATEWAY_DATA: "elsewhere",
    });
    expect(gateway.address).toMatch(/^http:\/\/127\.0\.0\.1:\d{2,5}$/);
    expect(
      readFileSync(join(folder.path, "elsewhere", "development-issuer.json"), "utf8"),
    ).toContain("EC");
    await gateway.stop();
  });

  it("`GATEWAY_CONFIG` selects another configuration file, whose folder is the gateway's folder", async () => {
    folder = makeGatewayFolder();
    expect(
      (await runCommand(folder.path, ["serve"], { GATEWAY_CONFIG: "missing.json" })).code,
    ).toBe(78);
    writeFileSync(join(folder.path, "other.json"), JSON.stringify(sandboxConfiguration));
    const gateway = await startGatewayProcess("/", {
      GATEWAY_CONFIG: join(folder.path, "other.json"),
    });
    expect((await gateway.stop()).code).toBe(0);
  });

  it("`serve` explains how to start if there is no configuration file", async () => {
    folder = makeGatewayFolder();
    const { code, stderr } = await runCommand(folder.path, ["serve"]);
    expect([code, stderr]).toEqual([78, expect.stringContaining("gateway.config.json")]);
  });

  it("`serve` refuses a configuration file that is not JSON, and does not quote the file's content", async () => {
    folder = makeGatewayFolder();
    writeFileSync(join(folder.path, "gateway.config.json"), '{"token": "s3cret"');
    const { code, stderr } = await runCommand(folder.path, ["serve"]);
    expect([code, stderr]).toEqual([78, expect.not.stringContaining("s3cret")]);
  });

  it("the published JSON Schema of the configuration contains every documented key", () => {
    folder = makeGatewayFolder();
    const file = fileURLToPath(new URL("../../dist/configuration.schema.json", import.meta.url));
    const text = readFileSync(file, "utf8");
    const schema: { properties: object; additionalProperties: unknown } = JSON.parse(text);
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(fixedShape)));
    expect(schema.additionalProperties).toBe(false);
    for (const key of ["jwksUri", "submissionMs", "credentials", "apiKey", "segment"])
      expect(text).toContain(`"${key}"`);
  });
});
