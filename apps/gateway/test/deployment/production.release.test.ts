import { makeGatewayFolder, runCommand } from "@insurance-gateway/running-gateway";
import { describe, expect, it } from "vitest";

const insurer = (baseUrl: string): object => ({
  package: "@insurance-gateway/provider-a",
  upstream: { baseUrl, adapter: "declared" },
});
const issuer = {
  issuer: "https://login.example",
  audience: "insurance-gateway",
  jwksUri: "https://login.example/keys",
  algorithms: ["ES256"],
  scopesRequired: true,
};
const safe = {
  listen: { host: "0.0.0.0", tlsEndsBefore: true, trustedProxies: ["10.0.0.0/8"] },
  issuers: [issuer],
  submissions: { keys: [{ id: "one", secret: { env: "SUBMISSIONS_KEY" } }] },
  providers: [insurer("https://api.insurer.example")],
};
const secrets = {
  NODE_ENV: "production",
  SUBMISSIONS_KEY: Buffer.alloc(32, 7).toString("base64"),
};

async function startWith(
  changed: object,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = makeGatewayFolder({ ...safe, ...changed });
  const { code, stderr } = await runCommand(folder.path, ["serve"], { ...secrets, ...environment });
  folder.remove();
  expect(code).toBe(78);
  return stderr;
}

describe("starts in production", () => {
  it.each<[string, object, Readonly<Record<string, string>>, string]>([
    [
      "an issuer without the setting scopesRequired",
      { issuers: [{ ...issuer, scopesRequired: undefined }] },
      {},
      "issuers[0].scopesRequired: must be true, or false if every token of the issuer has full access",
    ],
    [
      "a sandbox",
      { providers: [{ package: "@insurance-gateway/provider-a", upstream: "sandbox" }] },
      {},
      "providers[0].upstream: must be an insurer, because calls to a sandbox reach no insurer",
    ],
    [
      "an insurer without TLS",
      { providers: [insurer("http://api.insurer.example")] },
      {},
      "providers[0].upstream.baseUrl: must be https, because it transmits customers' data and credentials",
    ],
    [
      "issuer keys without TLS",
      { issuers: [{ ...issuer, jwksUri: "http://login.example/keys" }] },
      {},
      "issuers[0].jwksUri: must be https, because an attacker who replaces the keys on the network can forge tokens",
    ],
    [
      "callers without TLS",
      { listen: { host: "0.0.0.0" } },
      {},
      "listen: must use TLS to protect tokens; set listen.tls, or listen.tlsEndsBefore if a load balancer terminates TLS",
    ],
    [
      "unchecked certificates",
      {},
      { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      "NODE_TLS_REJECT_UNAUTHORIZED (environment): 0 accepts any certificate; remove it",
    ],
    [
      "a database without TLS",
      {},
      { DATABASE_URL: "postgres://gateway:s3cret@database.example/gateway" },
      "DATABASE_URL (environment): must request TLS with ?sslmode=verify-full if the database is on another machine",
    ],
    ...[
      "localhost/gateway?host=database.example",
      "/gateway?host=database.example",
      "database.example/gateway?sslmode=verify-full&sslmode=disable",
      "database.example/gateway?uselibpqcompat=true&sslmode=require",
    ].map((address): [string, object, Readonly<Record<string, string>>, string] => [
      `a database address whose parameters override its secure part: ${address}`,
      {},
      { DATABASE_URL: `postgres://gateway:s3cret@${address}` },
      "DATABASE_URL (environment): must request TLS with ?sslmode=verify-full if the database is on another machine",
    ]),
    [
      "an unknown load balancer",
      { listen: { host: "0.0.0.0", tlsEndsBefore: true } },
      {},
      "listen.trustedProxies: must name the load balancer that terminates TLS; otherwise one caller's refused tokens count for all callers",
    ],
    [
      "every address as a trusted proxy",
      { listen: { ...safe.listen, trustedProxies: ["0.0.0.0/0"] } },
      {},
      "listen.trustedProxies: must not trust every address; name the load balancers",
    ],
    [
      "a debug output with customers' numbers",
      {},
      { NODE_DEBUG: "undici" },
      "NODE_DEBUG (environment): prints addresses that contain customers' numbers; remove it",
    ],
    [
      "an option for old TLS versions, in any spelling",
      {},
      { NODE_OPTIONS: "--tls_min_v1.0" },
      "--tls-min-v1.0 (command line or NODE_OPTIONS): makes the gateway insecure; remove it",
    ],
    [
      "an option for a lenient HTTP parser",
      {},
      { NODE_OPTIONS: "--insecure-http-parser" },
      "--insecure-http-parser (command line or NODE_OPTIONS): makes the gateway insecure; remove it",
    ],
  ])("`serve` refuses to start in production with %s", async (_, changed, environment, fault) => {
    const said = await startWith(changed, environment);
    expect(said).toContain(`  ${fault}\n`);
    expect(said.match(/^ {2}\S/gm)).toHaveLength(1);
  });

  it("`serve` reports all unsafe settings at once in production", async () => {
    const said = await startWith({
      listen: { host: "0.0.0.0" },
      issuers: [],
      submissions: {},
      providers: [insurer("http://api.insurer.example")],
    });
    for (const place of ["listen:", "issuers:", "submissions.keys:", "providers[0].upstream"])
      expect(said).toContain(`  ${place}`);
  });
});
