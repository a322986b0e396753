import { describe, expect, it, onTestFinished } from "vitest";
import {
  type Configuration,
  type Environment,
  examineConfiguration,
} from "../../src/configuration/load.ts";
import { refuseUnsafeSettings, unsafeSettings } from "../../src/configuration/production.ts";

const issuer = {
  issuer: "https://login.example",
  audience: "insurance-gateway",
  jwksUri: "https://login.example/keys",
  algorithms: ["ES256"],
  scopesRequired: true,
};
const insurer = { baseUrl: "https://api.insurer.example", adapter: "declared" };
const oauth2 = {
  type: "oauth2",
  tokenUrl: "http://login.example/token",
  clientId: "c",
  clientSecret: { env: "S" },
};
const safe = {
  listen: { host: "0.0.0.0", tlsEndsBefore: true, trustedProxies: ["10.0.0.0/8"] },
  issuers: [issuer],
  submissions: { keys: [{ id: "one", secret: { env: "SUBMISSIONS_KEY" } }] },
  providers: [{ package: "@insurance-gateway/provider-a", upstream: insurer }],
};

function configurationWith(changed: object): Configuration {
  const text = JSON.stringify({ ...safe, ...changed });
  const { configuration, faults } = examineConfiguration({}, "/etc/gateway", {
    read: () => ({ text }),
  });
  if (configuration === null || faults.length > 0) throw new TypeError(faults.join("\n"));
  return configuration;
}

const production = { NODE_ENV: " Production " };
const unsafe = (changed: object, environment: Environment = {}): Promise<readonly string[]> =>
  unsafeSettings(configurationWith(changed), { ...production, ...environment });

const withUpstream = (...upstreams: readonly unknown[]): object => ({
  providers: upstreams.map((upstream) => ({ package: "p", upstream })),
});

const withoutTls =
  "listen: must use TLS to protect tokens; set listen.tls, or listen.tlsEndsBefore if a load balancer terminates TLS";
const noProxies =
  "listen.trustedProxies: must name the load balancer that terminates TLS; otherwise one caller's refused tokens count for all callers";
const everyProxy = "listen.trustedProxies: must not trust every address; name the load balancers";
const certificate = { certificate: { env: "C" }, key: { env: "K" } };

describe("the checks for production", () => {
  it.each<[string, object, readonly string[]]>([
    ["a safe configuration", {}, []],
    [
      "a configuration without an issuer",
      { issuers: [] },
      [
        "issuers: must have your issuer; without one, the gateway accepts development tokens, which everyone on its machine can create",
      ],
    ],
    [
      "issuers without a setting for scopes, or with keys over HTTP",
      {
        issuers: [
          { ...issuer, scopesRequired: false },
          {
            ...issuer,
            issuer: "b",
            scopesRequired: undefined,
            jwksUri: "http://login.example/keys",
          },
          { ...issuer, issuer: "c", jwksUri: "http://127.0.0.1/keys" },
        ],
      },
      [
        "issuers[1].scopesRequired: must be true, or false if every token of the issuer has full access",
        "issuers[1].jwksUri: must be https, because an attacker who replaces the keys on the network can forge tokens",
      ],
    ],
    [
      "a configuration without an encryption key",
      { submissions: {} },
      [
        "submissions.keys: must have a key that is kept apart from the store; create one with `openssl rand -base64 32`",
      ],
    ],
    [
      "simulated insurers, and insurers without TLS",
      withUpstream(
        insurer,
        "sandbox",
        { baseUrl: "http://insurer.example" },
        { baseUrl: "http://localhost:8080" },
        { baseUrl: "http://[::1]:8080" },
        { baseUrl: "http://127.1.2.3" },
        { baseUrl: "http://localhost.example" },
      ),
      [
        "providers[1].upstream: must be an insurer, because calls to a sandbox reach no insurer",
        "providers[2].upstream.baseUrl: must be https, because it transmits customers' data and credentials",
        "providers[6].upstream.baseUrl: must be https, because it transmits customers' data and credentials",
      ],
    ],
    [
      "insurers whose tokens are fetched without TLS",
      {
        ...withUpstream(
          { ...insurer, credentials: oauth2 },
          { ...insurer, credentials: { ...oauth2, tokenUrl: "https://login.example/token" } },
          {
            ...insurer,
            credentials: [{ type: "apiKey", header: "x-key", value: { env: "K" } }, oauth2],
          },
        ),
      },
      [
        "providers[0].upstream.credentials.tokenUrl: must be https, because it transmits a secret and tokens",
        "providers[2].upstream.credentials.tokenUrl: must be https, because it transmits a secret and tokens",
      ],
    ],
    ["an address without TLS", { listen: { host: "0.0.0.0" } }, [withoutTls]],
    ["an address of this machine without TLS", { listen: { host: "127.0.0.1" } }, []],
    ["an address with TLS", { listen: { host: "0.0.0.0", tls: certificate } }, []],
    [
      "a load balancer that is not a trusted proxy",
      { listen: { host: "0.0.0.0", tlsEndsBefore: true } },
      [noProxies],
    ],
    [
      "every address as a trusted proxy",
      { listen: { ...safe.listen, trustedProxies: ["10.0.0.1", "0.0.0.0/0"] } },
      [everyProxy],
    ],
    [
      "load balancers in small networks",
      { listen: { ...safe.listen, trustedProxies: ["10.0.0.1", "10.0.0.0/10", "fd00::/8"] } },
      [],
    ],
  ])("the production check reports each unsafe setting of %s", async (_, changed, faults) => {
    expect(await unsafe(changed)).toEqual(faults);
  });

  const noTls =
    "DATABASE_URL (environment): must request TLS with ?sslmode=verify-full if the database is on another machine";
  const option = (name: string): string =>
    `${name} (command line or NODE_OPTIONS): makes the gateway insecure; remove it`;

  it.each<[Environment, readonly string[]]>([
    [{ DATABASE_URL: "postgres://u@db.example/g" }, [noTls]],
    [{ DATABASE_URL: "postgres://u@db.example/g?sslmode=disable" }, [noTls]],
    [{ DATABASE_URL: "postgres://u@db.example/g?sslmode=no-verify" }, [noTls]],
    [{ DATABASE_URL: "postgres://u@db.example/g?sslmode=verify-full" }, []],
    [{ DATABASE_URL: "postgres://u@localhost/g" }, []],
    [{ DATABASE_URL: "postgres://u@127.0.0.1/g" }, []],
    [{ DATABASE_URL: "socket:/var/run/postgresql" }, []],
    [{ NODE_TLS_REJECT_UNAUTHORIZED: "1" }, []],
    [
      { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      ["NODE_TLS_REJECT_UNAUTHORIZED (environment): 0 accepts any certificate; remove it"],
    ],
    [{ NODE_DEBUG: "" }, []],
    [
      { NODE_DEBUG: "http" },
      ["NODE_DEBUG (environment): prints addresses that contain customers' numbers; remove it"],
    ],
    [{ NODE_OPTIONS: "--max-old-space-size=716  --enable-source-maps" }, []],
    [
      {
        NODE_OPTIONS:
          "--inspect '--tls-min-v1.0' --insecure_http_parser --report-on-signal --inspector=1",
      },
      [
        option("--inspect"),
        option("--tls-min-v1.0"),
        option("--insecure-http-parser"),
        option("--report-on-signal"),
      ],
    ],
  ])(
    "the production check of the environment variables %j reports the faults %j",
    async (environment, faults) => {
      expect(await unsafe({}, environment)).toEqual(faults);
    },
  );

  it("the production check reports each unsafe Node.js option of the command line", async () => {
    const { execArgv } = process;
    onTestFinished(() => void Object.assign(process, { execArgv }));
    process.execArgv = ["--no-warnings", "--heapsnapshot-signal=SIGUSR2"];
    expect(await unsafe({})).toEqual([option("--heapsnapshot-signal=SIGUSR2")]);
  });

  it("the gateway does not start in production with an unsafe setting", async () => {
    await expect(refuseUnsafeSettings(configurationWith({}), production)).resolves.toBeUndefined();
    await expect(
      refuseUnsafeSettings(configurationWith({ listen: { host: "0.0.0.0" } }), production),
    ).rejects.toMatchObject({ faults: [withoutTls] });
  });
});

it("the gateway accepts unsafe settings if NODE_ENV is not production", async () => {
  const configuration = configurationWith({ issuers: [], listen: { host: "0.0.0.0" } });
  for (const NODE_ENV of [undefined, "", "development", "productions"])
    expect(await unsafeSettings(configuration, { NODE_ENV, NODE_DEBUG: "http" })).toEqual([]);
});
