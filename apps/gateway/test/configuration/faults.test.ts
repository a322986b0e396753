import { describe, expect, it } from "vitest";
import type { FileContent } from "../../src/configuration/files.ts";
import {
  type Environment,
  type ExaminedConfiguration,
  examineConfiguration,
} from "../../src/configuration/load.ts";

/** Examines the content of a configuration file. An object is written as JSON. */
function examined(
  content: FileContent | object,
  environment: Environment = {},
): ExaminedConfiguration {
  const read = (): FileContent =>
    "text" in content || "fault" in content
      ? // No key of the configuration is named `text` or `fault`, so this object is the content of a file.
        content
      : { text: JSON.stringify(content) };
  return examineConfiguration(environment, "/etc/gateway", { read });
}

const found = (
  content: FileContent | object,
  environment?: Environment,
): Pick<ExaminedConfiguration, "faults" | "leftOut"> => {
  const { faults, leftOut } = examined(content, environment);
  return { faults, leftOut };
};

const providers = [{ package: "p", upstream: "sandbox" }];
const issuer = {
  issuer: "https://login.example",
  audience: "gateway",
  jwksUri: "https://login.example/keys",
  algorithms: ["RS256"],
};
const account = {
  id: "north",
  tenant: { issuer: "https://login.example", name: "north" },
  segment: "p",
  credentials: { type: "none" },
};

describe("the configuration file", () => {
  it.each<[string, FileContent | object, Environment, readonly string[]]>([
    ["that cannot be read", { fault: "unreadable" }, {}, ["the file cannot be read"]],
    ["that is not JSON", { text: "{" }, {}, ["the file is not JSON"]],
    [
      "that GATEWAY_CONFIG names but that does not exist",
      { fault: "missing" },
      { GATEWAY_CONFIG: "own.json" },
      ["GATEWAY_CONFIG names a file that does not exist"],
    ],
  ])(
    "the configuration check reports exactly one fault for a configuration file %s",
    (_, content, environment, faults) => {
      expect(examined(content, environment)).toEqual({
        source: `/etc/gateway/${environment.GATEWAY_CONFIG ?? "gateway.config.json"}`,
        faults,
        configuration: null,
        leftOut: [],
      });
    },
  );

  it("the error about a missing configuration file advises to create the file or to set GATEWAY_CONFIG", () => {
    expect(() => examined({ fault: "missing" })).toThrow(
      "there is no gateway.config.json in this folder; create one, or set GATEWAY_CONFIG",
    );
  });

  it("the gateway's folder is the folder of the configuration file, and relative paths start there", () => {
    const named = examined({ providers }, { GATEWAY_CONFIG: "below/own.json" });
    expect(named).toMatchObject({
      source: "/etc/gateway/below/own.json",
      configuration: { folder: "/etc/gateway/below", data: "/etc/gateway/below/data" },
    });
    expect(examined({ providers, data: "/var/gateway" }).configuration).toMatchObject({
      source: "/etc/gateway/gateway.config.json",
      folder: "/etc/gateway",
      data: "/var/gateway",
      workspace: false,
    });
  });
});

describe("environment variables", () => {
  it("environment variables take precedence over the configuration file", () => {
    const content = {
      providers,
      data: "./mine",
      listen: { host: "203.0.113.1", port: 1, basePath: "/insurance" },
      operations: { host: "203.0.113.2" },
    };
    const environment = {
      HOST: "127.0.0.2",
      PORT: "65535",
      OPERATIONS_HOST: "127.0.0.3",
      OPERATIONS_PORT: "0",
      GATEWAY_DATA: "elsewhere",
    };
    expect(examined(content, environment)).toMatchObject({
      faults: [],
      configuration: {
        data: "/etc/gateway/elsewhere",
        listen: { host: "127.0.0.2", port: 65_535, basePath: "/insurance" },
        operations: { host: "127.0.0.3", port: 0 },
      },
    });
    expect(examined({ providers }, environment).configuration).toMatchObject({
      listen: { host: "127.0.0.2", port: 65_535, basePath: "" },
    });
    expect(examined({ ...content, data: "." }).configuration).toMatchObject({
      data: "/etc/gateway",
      listen: { host: "203.0.113.1", port: 1 },
      operations: { host: "203.0.113.2", port: 9_090 },
    });
  });

  it.each([["65536"], ["-1"], ["eighty"], ["1.5"], [""], ["000080"]])(
    "the configuration check refuses an invalid port in an environment variable: %j",
    (port) => {
      const faults = [
        "PORT (environment): must be a port number from 0 to 65535",
        "OPERATIONS_PORT (environment): must be a port number from 0 to 65535",
      ];
      expect(found({ providers }, { PORT: port, OPERATIONS_PORT: port })).toEqual({
        faults,
        leftOut: [],
      });
    },
  );
});

const claim = "broker";
const keys = [
  { id: "one", secret: { env: "A" } },
  { id: "two", secret: { env: "B" } },
];

describe("the faults of a configuration", () => {
  it.each<[string, object, readonly string[], readonly string[]]>([
    ["no fault", { providers }, [], []],
    ["no provider", { providers: [] }, ["providers: must have a provider"], ["providers"]],
    [
      "an issuer and a key that appear twice",
      {
        providers,
        issuers: [issuer, { ...issuer, issuer: "https://other.example" }, issuer, issuer],
        submissions: { keys: [...keys, keys[1], keys[0]] },
      },
      [
        "issuers[2].issuer: appears twice",
        "issuers[3].issuer: appears twice",
        "submissions.keys[2].id: appears twice",
        "submissions.keys[3].id: appears twice",
      ],
      [],
    ],
    [
      "a public address that callers could not use",
      { providers, reference: { address: "https://user@gateway.example/other?x=1" } },
      [
        "reference.address: must have no query, fragment or user",
        "reference.address: must end with listen.basePath, which is empty",
      ],
      [],
    ],
    [
      "a public address without the base path",
      {
        providers,
        listen: { basePath: "/insurance" },
        reference: { address: "https://gateway.example" },
      },
      ["reference.address: must end with listen.basePath, /insurance"],
      [],
    ],
    [
      "a public address with the base path",
      {
        providers,
        listen: { basePath: "/insurance" },
        reference: { address: "https://gateway.example/insurance" },
      },
      [],
      [],
    ],
    [
      "a public address and no base path",
      { providers, reference: { address: "https://gateway.example" } },
      [],
      [],
    ],
    [
      "a public address and an invalid base path",
      {
        providers,
        listen: { basePath: "insurance" },
        reference: { address: "https://gateway.example/x" },
      },
      ["listen.basePath: must be empty or like /insurance, without a slash at the end"],
      ["listen"],
    ],
    [
      "accounts without a claim",
      { providers, accounts: { list: [account] } },
      ["accounts.claim: is required to find the account of a token"],
      [],
    ],
    ["a claim and no accounts in the file", { providers, accounts: { claim } }, [], []],
    [
      "a claim and accounts in the file",
      { providers, accounts: { claim, list: [account] } },
      [],
      [],
    ],
    [
      "unknown keys at several depths",
      {
        providers: [{ ...providers[0], colour: 1, timeouts: { soon: 1 } }],
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
            ...providers[0],
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
            ...providers[0],
            retries: { firstWaitMs: 2_000 },
            breaker: { openMs: 300_000 },
            maintenance: [{ from: "2026-01-01T00:00:00Z", to: "2026-01-01T00:00:01Z" }],
          },
        ],
        limits: { headersMs: 30_000 },
        submissions: { answerKeptHours: 24, keyRetentionDays: 1, sameContentHours: 24 },
      },
      [],
      [],
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
          { package: "p", upstream: { baseUrl: "https://u:p@insurer.example" } },
          { package: "p", upstream: { baseUrl: "https://insurer.example?key=1" } },
          { package: "p", upstream: { baseUrl: "https://insurer.example?" } },
          { package: "p", upstream: { baseUrl: "ftp://insurer.example" } },
          { package: "p", segment: "a/b", upstream: { baseUrl: "https://insurer.example/v1" } },
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
      {
        providers: [
          {
            ...providers[0],
            failures: [
              {
                status: 400,
                media: "text/html",
                at: "error",
                is: ["E1"],
                code: "PROVIDER_REJECTED",
                outcome: "rejected",
                why: "manual",
              },
            ],
          },
        ],
      },
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
            ...providers[0],
            failures: ["rejected", "not_sent", "unknown"].map((outcome) => ({
              status: 400,
              media: "application/json",
              at: "/code",
              is: ["E1"],
              code: "PROVIDER_REJECTED",
              outcome,
              why: "manual",
            })),
          },
        ],
      },
      [],
      [],
    ],
    [
      "credentials that contradict each other",
      {
        providers: [
          {
            package: "p",
            upstream: {
              baseUrl: "https://insurer.example",
              credentials: [
                { type: "bearer", token: { env: "T" } },
                { type: "basic", username: { env: "U" }, password: { env: "P" } },
                { type: "none" },
                { type: "apiKey", header: "Host", value: { env: "V" } },
              ],
            },
          },
          {
            package: "p",
            upstream: {
              baseUrl: "https://insurer.example",
              credentials: {
                type: "oauth2",
                tokenUrl: "https://login.example/token",
                clientId: "c",
                clientAuthentication: "private_key_jwt",
                clientSecret: { env: "S" },
              },
            },
          },
          {
            package: "p",
            upstream: {
              baseUrl: "https://insurer.example",
              credentials: { type: "bearer", token: "s3cret" },
            },
          },
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
    (_, content, faults, leftOut) => {
      expect(found(content)).toEqual({ faults, leftOut });
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
    for (const content of [[], "text", null])
      expect(examined({ text: JSON.stringify(content) }).configuration).toBeNull();
    expect(examined({ accounts: { claim: 1 } }).configuration).toMatchObject({
      providers: [{ package: "-" }],
      accounts: { claim: "-", list: [] },
    });
    expect(examined({ providers, accounts: [] }).configuration).toMatchObject({
      accounts: { claim: "-", list: [] },
    });
  });
});
