import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diskFiles } from "../../src/configuration/files.ts";
import type { Environment } from "../../src/configuration/load.ts";
import { createReadSettings, type Settings } from "../../src/configuration/settings.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { installPackage } from "../harness/provider-package.ts";

const PACKAGE = `
import { defineProvider, submission } from "@insurance-gateway/core/contract";
import { loose, strict, text } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
export const providerM = defineProvider({
  id: "provider-m",
  name: "Provider M",
  lines: ["motor"],
  settings: strict({ agency: text(20), code: text(5) }),
  endpoints: {
    order: submission({ provider: "provider-m", path: "/orders", response: { 201: loose({ id: z.string() }) } }),
  },
});`;
const EMPTY = `
import { defineProvider } from "@insurance-gateway/core/contract";
export const providerN = defineProvider({ id: "provider-n", name: "N", lines: [], endpoints: {} });`;
const NO_ADAPTER = "export const adapter = 1;";

let folder: GatewayFolder;
const environment: Record<string, string> = { KEY: Buffer.alloc(32, 1).toString("base64") };
beforeAll(async () => {
  folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE);
  installPackage(folder, "provider-n", EMPTY);
  installPackage(folder, "broken-adapter", PACKAGE, NO_ADAPTER);
  installPackage(folder, "closed", PACKAGE);
  const closed = { type: "module", exports: "./index.js" };
  writeFileSync(join(folder.path, "node_modules/closed/package.json"), JSON.stringify(closed));
  for (const name of ["ONE", "OTHER"]) {
    const { cert, private: key } = await generate([{ name: "commonName", value: name }]);
    Object.assign(environment, { [`${name}_CERTIFICATE`]: cert, [`${name}_KEY`]: key });
  }
  writeFileSync(join(folder.path, "empty"), " \n");
  writeFileSync(join(folder.path, "secret"), " t-1\n");
});
afterAll(() => folder.remove());

const insurer = "https://insurer.example";
const d = insurerConfiguration("d", insurer);
const m = (settings?: object, upstream: object = {}): object => ({
  package: "provider-m",
  upstream: { baseUrl: insurer, ...upstream },
  settings,
});
const good = { agency: "a", code: "c" };
const secret = { env: "KEY" };
const tls = (certificate: string, key: string): object => ({
  certificate: { env: certificate },
  key: { env: key },
});
const bearer = (token: object): object => ({ credentials: { type: "bearer", token } });

function read(configuration: object, more: Environment = {}): Promise<Settings> {
  folder.writeConfiguration(configuration);
  return createReadSettings({ ...environment, ...more }, folder.path)(diskFiles);
}

/** Returns the faults because of which the gateway refuses the settings. */
async function faultsOf(...parameters: Parameters<typeof read>): Promise<readonly string[]> {
  const refused: unknown = await read(...parameters).then(
    () => ({ faults: [] }),
    (error: unknown) => error,
  );
  // Any other error has no faults, so the comparison fails.
  const { faults } = refused as { readonly faults: readonly string[] };
  return faults.map((fault) => fault.replaceAll(folder.path, "FOLDER"));
}

const notIssued = "the environment variable ABSENT is not set";

describe("the faults of settings", () => {
  it.each<[string, object, readonly string[]]>([
    ["no fault", { providers: [d, m(good)] }, []],
    [
      "missing secrets",
      {
        providers: [
          insurerConfiguration("d", insurer, bearer({ env: "ABSENT" })),
          insurerConfiguration("c", insurer, bearer({ file: "absent" })),
          insurerConfiguration("a", insurer, bearer({ file: "empty" })),
          insurerConfiguration("b", insurer, bearer({ file: "secret" })),
        ],
        submissions: {
          keys: [
            { id: "one", secret: { env: "KEY" } },
            { id: "short", secret: { file: "secret" } },
            { id: "none", secret: { env: "ABSENT" } },
          ],
        },
      },
      [
        "submissions.keys[1].secret: must be 32 bytes in base64; create one with `openssl rand -base64 32`",
        `submissions.keys[2].secret: ${notIssued}`,
        `providers[0].upstream.credentials.token: ${notIssued}`,
        "providers[1].upstream.credentials.token: the file is missing or empty",
        "providers[2].upstream.credentials.token: the file is missing or empty",
      ],
    ],
    [
      "unusable certificates",
      {
        providers: [
          insurerConfiguration("d", insurer, {
            tls: { authorities: { env: "KEY" }, client: tls("ONE_CERTIFICATE", "ABSENT") },
          }),
          insurerConfiguration("c", insurer, {
            tls: { client: tls("ONE_CERTIFICATE", "OTHER_KEY") },
          }),
          insurerConfiguration("a", insurer, {
            tls: { client: tls("ONE_CERTIFICATE", "ONE_KEY") },
          }),
        ],
        listen: { tls: tls("ONE_CERTIFICATE", "OTHER_KEY") },
        operations: { tls: tls("KEY", "ABSENT") },
      },
      [
        "listen.tls: the key must belong to the certificate",
        "operations.tls.certificate: must be a certificate or a private key in PEM",
        `operations.tls.key: ${notIssued}`,
        "providers[0].upstream.tls.authorities: must be a certificate or a private key in PEM",
        `providers[0].upstream.tls.client.key: ${notIssued}`,
        "providers[1].upstream.tls.client: the key must belong to the certificate",
      ],
    ],
    [
      "packages that cannot be served",
      {
        providers: [
          { package: "nowhere", upstream: { baseUrl: insurer } },
          { package: "provider-n", segment: "same", upstream: { baseUrl: insurer } },
          { ...m(good), segment: "same" },
          { ...m(good), segment: "providers" },
          { package: "provider-m", segment: "simulated", upstream: "sandbox" },
          {
            ...m(good),
            segment: "rows",
            failures: [
              {
                endpoint: "nothing",
                status: 400,
                media: "application/json",
                at: "/code",
                is: ["E"],
                code: "PROVIDER_REJECTED",
                outcome: "rejected",
                why: "manual",
              },
            ],
          },
          { ...m(good), package: "closed", segment: "closed" },
          { ...m(good), package: "broken-adapter", segment: "broken" },
        ],
      },
      [
        "providers[0].package: nowhere is not installed in FOLDER; run npm install nowhere there",
        "providers[1].package: provider-n declares no endpoint yet",
        "providers[2].segment: same is used by another provider",
        "providers[3].segment: providers is reserved for the gateway",
        "providers[4].upstream: provider-m has no sandbox",
        "providers[5].failures[0].endpoint: provider-m has no endpoint nothing",
        "providers[6].package: closed does not export its package.json",
        "providers[7].package: broken-adapter/adapter exports no adapter",
      ],
    ],
    [
      "unknown or missing provider settings",
      {
        providers: [
          { ...d, settings: { agency: "a" } },
          m({ agency: { env: "ABSENT" }, code: "longer", colour: "red" }),
          { ...m({ agency: "a" }), segment: "second" },
          { ...m(), segment: "third" },
        ],
      },
      [
        "providers[0].settings: this provider has no settings",
        "providers[1].settings.colour: is not a setting of this provider",
        "providers[1].settings.agency: the environment variable ABSENT is not set",
        "providers[1].settings.agency: must not be blank",
        "providers[1].settings.code: must have at most 5 characters",
        "providers[2].settings.code: is required",
        "providers[3].settings.agency: is required",
        "providers[3].settings.code: is required",
      ],
    ],
    [
      "credentials that the adapter cannot use",
      {
        providers: [
          m(good, { credentials: { type: "login", username: secret, password: secret } }),
        ],
      },
      [
        "providers[0].upstream.credentials: provider-m must have an adapter with a login for credentials of the type login",
      ],
    ],
    [
      "a short token for the administration of accounts",
      {
        providers: [d],
        operations: { accountsToken: { file: "secret" } },
        accounts: { claim: "broker" },
      },
      [
        "operations.accountsToken: must have at least 32 characters; create one with `openssl rand -base64 32`",
      ],
    ],
    [
      "several faults, without consequential faults of the same part",
      {
        providers: [
          { ...insurerConfiguration("d", insurer, bearer({ env: "ABSENT" })), colour: 1 },
          d,
        ],
        listen: { tls: tls("ABSENT", "ABSENT"), port: "80" },
      },
      [
        "listen.port: Invalid input: expected number, received string",
        "providers[0].colour: is not an accepted key",
      ],
    ],
  ])("the gateway reports the faults of settings with %s", async (_, configuration, faults) => {
    expect(await faultsOf(configuration)).toEqual(faults);
  });

  it("the gateway reports settings that are unsafe in production together with the configuration's other faults", async () => {
    const configuration = {
      providers: [insurerConfiguration("d", insurer, bearer({ env: "ABSENT" }))],
      submissions: { keys: [{ id: "one", secret: { env: "KEY" } }] },
      accounts: {
        claim: "broker",
        list: [
          {
            id: "north",
            tenant: { issuer: "https://login.example", name: "north" },
            segment: "provider-d",
            credentials: {
              type: "oauth2",
              tokenUrl: "http://login.example/token",
              clientId: "c",
              clientSecret: secret,
            },
          },
        ],
      },
    };
    expect(await faultsOf(configuration, { NODE_ENV: "production" })).toEqual([
      expect.stringMatching(/^issuers: must have your issuer/),
      `providers[0].upstream.credentials.token: ${notIssued}`,
      "accounts.list[0].credentials.tokenUrl: must be https, because it transmits a secret and tokens",
    ]);
  });
});

describe("the settings of a gateway", () => {
  it("the settings contain the content of the configured files: certificates, tokens and providers' secrets", async () => {
    const settings = await read({
      providers: [
        insurerConfiguration("d", `${insurer}/v1//`, bearer({ file: "secret" })),
        m({ agency: { file: "secret" }, code: "c" }),
        { package: "@insurance-gateway/provider-a", upstream: "sandbox" },
      ],
      listen: { tls: tls("ONE_CERTIFICATE", "ONE_KEY") },
      accounts: { claim: "broker" },
      operations: { accountsToken: { env: "KEY" } },
    });
    const { certificate, accountsToken, expiries, installed, operationsCertificate } = settings;
    const [first, second, third] = installed;
    expect([certificate, operationsCertificate, accountsToken]).toEqual([
      { certificate: environment.ONE_CERTIFICATE, key: environment.ONE_KEY },
      null,
      environment.KEY,
    ]);
    expect(expiries).toEqual([{ what: "certificate", segment: "", at: expect.any(Number) }]);
    expect(first).toMatchObject({
      segment: "provider-d",
      upstream: {
        baseUrl: `${insurer}/v1`,
        credentials: [{ type: "fixed", content: { headers: { authorization: "Bearer t-1" } } }],
      },
      insurerSettings: {},
    });
    expect([second?.insurerSettings, third?.insurerSettings]).toEqual([
      { agency: "t-1", code: "c" },
      null,
    ]);
    expect(third?.upstream).toEqual({ sandbox: expect.stringMatching(/sandbox/) });
  });
});
