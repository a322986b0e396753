import { describe, expect, it } from "vitest";
import { type ExaminedConfiguration, examineConfiguration } from "../../src/configuration/load.ts";

/** Examines the content of a configuration file. */
function examined(content: unknown): ExaminedConfiguration {
  const text = JSON.stringify(content);
  return examineConfiguration({}, "/etc/gateway", { read: () => ({ text }) });
}

const provider = { package: "p", upstream: "sandbox" };
const providers = [provider];
const issuer = {
  issuer: "https://login.example",
  audience: "gateway",
  jwksUri: "https://login.example/keys",
  algorithms: ["RS256"],
};
const claim = "broker";
const account = {
  id: "north",
  tenant: { issuer: "https://login.example", name: "north" },
  segment: "p",
  credentials: { type: "none" },
};
const failure = {
  status: 400,
  media: "application/json",
  at: "/code",
  is: ["E1"],
  code: "PROVIDER_REJECTED",
  outcome: "rejected",
  why: "manual",
};
const keys = ["one", "two", "two", "one"].map((id) => ({ id, secret: { env: "A" } }));

/** Returns a configuration with a public address. */
const withAddress = (address: string, basePath?: string): object => ({
  providers,
  listen: { basePath },
  reference: { address },
});

/** Returns the configuration of a provider whose insurer has an address. */
const providerAt = (baseUrl: string, more: object = {}): object => ({
  package: "p",
  upstream: { baseUrl, ...more },
});
const withCredentials = (credentials: unknown): object =>
  providerAt("https://insurer.example", { credentials });

describe("the faults of a configuration", () => {
  it.each<[string, object, (readonly string[])?, (readonly string[])?]>([
    ["no fault", { providers }],
    ["no provider", { providers: [] }, ["providers: must have a provider"], ["providers"]],
    [
      "an issuer and a key that appear twice",
      {
        providers,
        issuers: [issuer, { ...issuer, issuer: "https://other.example" }, issuer, issuer],
        submissions: { keys },
      },
      [
        "issuers[2].issuer: appears twice",
        "issuers[3].issuer: appears twice",
        "submissions.keys[2].id: appears twice",
        "submissions.keys[3].id: appears twice",
      ],
    ],
    [
      "a public address that callers could not use",
      withAddress("https://user@gateway.example/other?x=1"),
      [
        "reference.address: must have no query, fragment or user",
        "reference.address: must end with listen.basePath, which is empty",
      ],
    ],
    [
      "a public address without the base path",
      withAddress("https://gateway.example", "/insurance"),
      ["reference.address: must end with listen.basePath, /insurance"],
    ],
    [
      "a public address with the base path",
      withAddress("https://gateway.example/insurance", "/insurance"),
    ],
    ["a public address and no base path", withAddress("https://gateway.example")],
    [
      "a public address and an invalid base path",
      withAddress("https://gateway.example/x", "insurance"),
      ["listen.basePath: must be empty or like /insurance, without a slash at the end"],
      ["listen"],
    ],
    [
      "accounts without a claim",
      { providers, accounts: { list: [account] } },
      ["accounts.claim: is required to find the account of a token"],
    ],
    ["a claim and no accounts in the file", { providers, accounts: { claim } }],
    ["a claim and accounts in the file", { providers, accounts: { claim, list: [account] } }],
    [
      "unknown keys at several depths",
      {
        providers: [{ ...provider, colour: 1, timeouts: { soon: 1 } }],
        colour: 1,
        listen: { sizes: 1 },
        accounts: {
          claim,
          colour: 1,
          list: [{ ...account, colour: 1, tenant: { ...account.tenant, colour: 1 } }],
        },
      },
      [
        "listen.sizes: is not an accepted key",
        "accounts.list[0].tenant.colour: is not an accepted key",
        "accounts.list[0].colour: is not an accepted key",
        "accounts.colour: is not an accepted key",
        "providers[0].timeouts.soon: is not an accepted key",
        "providers[0].colour: is not an accepted key",
        "colour: is not an accepted key",
      ],
      [
        "listen",
        "accounts.list[0].tenant",
        "accounts.list[0].colour",
        "accounts.colour",
        "providers[0]",
        "colour",
      ],
    ],
    [
      "limits that contradict each other",
      {
        providers: [
          {
            ...provider,
            retries: { firstWaitMs: 3_000 },
            breaker: { openMs: 300_001 },
            maintenance: [{ from: "2026-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" }],
          },
        ],
        limits: { headersMs: 30_001 },
        submissions: { answerKeptHours: 720, keyRetentionDays: 29, sameContentHours: 72 },
      },
      [
        "limits.headersMs: must not be longer than requestMs",
        "providers[0].retries.firstWaitMs: must not be longer than longestWaitMs",
        "providers[0].breaker.openMs: must not be longer than longestOpenMs",
        "providers[0].maintenance[0].to: must be after from",
        "submissions.keyRetentionDays: must not be shorter than answerKeptHours, because a submission whose key was deleted is sent again",
      ],
      ["limits", "providers[0]", "submissions"],
    ],
    [
      "limits that only just agree",
      {
        providers: [
          {
            ...provider,
            retries: { firstWaitMs: 2_000 },
            breaker: { openMs: 300_000 },
            maintenance: [{ from: "2026-01-01T00:00:00Z", to: "2026-01-01T00:00:01Z" }],
          },
        ],
        limits: { headersMs: 30_000 },
        submissions: { answerKeptHours: 24, keyRetentionDays: 1, sameContentHours: 24 },
      },
    ],
    [
      "a longer time for equal requests than for their stored answer",
      { providers, submissions: { answerKeptHours: 23 } },
      [
        "submissions.sameContentHours: must not be longer than answerKeptHours, because an equal request gets the stored answer",
      ],
      ["submissions"],
    ],
    [
      "a secret or an error in an insurer's address",
      {
        providers: [
          providerAt("https://u:p@insurer.example"),
          providerAt("https://insurer.example?key=1"),
          providerAt("https://insurer.example?"),
          providerAt("ftp://insurer.example"),
          { ...providerAt("https://insurer.example/v1"), segment: "a/b" },
        ],
      },
      [
        ...[0, 1, 2].map(
          (index) =>
            `providers[${index}].upstream.baseUrl: must have no user, password, query or fragment; the configuration must not contain a secret`,
        ),
        "providers[3].upstream.baseUrl: must be an http or https address",
        "providers[4].segment: must be one path segment: letters, digits and . _ ~ -",
      ],
      ["providers[0]", "providers[1]", "providers[2]", "providers[3]", "providers[4]"],
    ],
    [
      "rows in `failures` that prove nothing",
      { providers: [{ ...provider, failures: [{ ...failure, media: "text/html", at: "error" }] }] },
      [
        "providers[0].failures[0].media: must not be HTML, which proves nothing",
        "providers[0].failures[0].at: must be a JSON Pointer: /errors/0/code",
      ],
      ["providers[0]"],
    ],
    [
      "rows in `failures` with each outcome",
      {
        providers: [
          {
            ...provider,
            failures: ["rejected", "not_sent", "unknown"].map((outcome) => ({
              ...failure,
              outcome,
            })),
          },
        ],
      },
    ],
    [
      "credentials that contradict each other",
      {
        providers: [
          withCredentials([
            { type: "bearer", token: { env: "T" } },
            { type: "basic", username: { env: "U" }, password: { env: "P" } },
            { type: "none" },
            { type: "apiKey", header: "Host", value: { env: "V" } },
          ]),
          withCredentials({
            type: "oauth2",
            tokenUrl: "https://login.example/token",
            clientId: "c",
            clientAuthentication: "private_key_jwt",
            clientSecret: { env: "S" },
          }),
          withCredentials({ type: "bearer", token: "s3cret" }),
        ],
        accounts: { claim, list: [{ ...account, id: "default" }] },
      },
      [
        "accounts.list[0].id: must not be default, which is the provider's own account",
        "providers[0].upstream.credentials[3].header: must be a header that the gateway does not set itself",
        "providers[0].upstream.credentials[1]: sets authorization a second time",
        "providers[0].upstream.credentials[2]: must not be in a list",
        "providers[1].upstream.credentials.privateKey: is required for private_key_jwt",
        "providers[1].upstream.credentials.clientSecret: must not be set for private_key_jwt",
        'providers[2].upstream.credentials.token: must be { "env": "NAME" } or { "file": "PATH" }; the configuration must not contain the secret',
      ],
      ["accounts.list[0].id", "providers[0]", "providers[1]", "providers[2]"],
    ],
  ])(
    "the configuration check reports the faults of a configuration with %s",
    (_, content, faults = [], leftOut = []) => {
      const found = examined(content);
      expect([found.faults, found.leftOut]).toEqual([faults, leftOut]);
    },
  );

  it("the configuration check replaces faulty parts of a configuration, so that the other parts can be checked", () => {
    const { configuration } = examined({
      providers: [{ package: "", upstream: "sandbox" }, ...providers],
      limits: { headers: 1 },
      overload: { longestWaitMs: 500 },
      accounts: {
        claim,
        timeZone: "Nowhere",
        list: [{ ...account, id: "" }, { ...account, segment: 7 }, "no object"],
      },
    });
    expect(configuration).toMatchObject({
      providers: [{ package: "-", upstream: "sandbox" }, { package: "p" }],
      limits: { headers: 100 },
      overload: { eventLoopDelayMs: 250, longestWaitMs: 500 },
      accounts: {
        claim,
        timeZone: "Europe/Athens",
        list: [
          { id: "0.left-out", tenant: account.tenant, segment: "p" },
          { id: "north", tenant: account.tenant, segment: "-" },
          { id: "2.left-out", tenant: { issuer: "-", name: "2" }, segment: "-" },
        ],
      },
    });
    for (const content of [[], "text", null]) expect(examined(content).configuration).toBeNull();
    expect(examined({ accounts: { claim: 1 } }).configuration).toMatchObject({
      providers: [{ package: "-" }],
      accounts: { claim: "-", list: [] },
    });
    expect(examined({ providers, accounts: [] }).configuration).toMatchObject({
      accounts: { claim: "-", list: [] },
    });
  });
});
