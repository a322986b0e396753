import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import type { Environment } from "../../src/configuration/load.ts";
import { submitApplication } from "./applications.ts";
import {
  type GatewayInProcess,
  type InProcessOptions,
  insurerConfiguration,
  startInProcess,
} from "./gateway-in-process.ts";
import { makeToken } from "./good-token.ts";
import { type HeldTime, holdTime } from "./held-time.ts";
import { type Arrival, type Behaviour, type Insurer, startInsurer } from "./insurer.ts";
import { type KeyPair, makeKeyPair } from "./signing.ts";
import { startKeyServer } from "./token-gateway.ts";

/** The claim that names a tenant in the tests of accounts. */
export const CLAIM = "broker";

/** Two issuers, whose tenants may have the same names. */
export const ONE = "https://one.example";
export const OTHER = "https://other.example";

/** The holder of a token. */
export interface Bearer {
  readonly issuer?: string;
  readonly subject?: string;
  /** The value of the claim that names the tenant. Default: the token lacks the claim. */
  readonly tenant?: unknown;
  readonly scope?: string;
}

/** A gateway with providers A and D. Both providers have one insurer, which recognises an account by its API key. */
export interface Brokers {
  readonly gateway: GatewayInProcess;
  readonly insurer: Insurer;
  readonly time: HeldTime;
  readonly folder: GatewayFolder;
  token(bearer: Bearer): string;
  /** Sends a GET request. Default path: provider D's search. */
  ask(bearer: Bearer, path?: string): Promise<Response>;
  submit(bearer: Bearer, body: object, key?: string): Promise<Response>;
  /** Stops the gateway and starts it with another configuration, and with the same folder, insurer and clock. */
  restart(configuration: object, environment?: Environment): Promise<void>;
  operator(path: string): Promise<Response>;
  stop(): Promise<void>;
}

/** The header with an account's API key in requests to the insurer. */
export const KEY_HEADER = "x-agency-key";

/** Returns the API key that a request to the insurer contains, or `none`. */
export function keyIn({ headers }: Pick<Arrival, "headers">): string {
  return String(headers[KEY_HEADER] ?? "none");
}

export const SEARCH = "/provider-d/applications/search?clientAfm=123456789";
export const BRANDS = "/provider-a/auto/brands";

/**
 * Returns an account for the configuration file. The account's API key is in the environment variable `KEY_<id>`.
 */
export function account(
  id: string,
  tenant: string,
  { issuer = ONE, segment = "provider-d", ...more }: Readonly<Record<string, unknown>> = {},
): object {
  return { id, tenant: { issuer, name: tenant }, segment, credentials: keyOf(id), ...more };
}

/** Returns an account's credentials for the configuration: an API key in an environment variable. */
function keyOf(id: string): object {
  return { type: "apiKey", header: KEY_HEADER, value: { env: variableOf(id) } };
}

/** Returns the name of the environment variable for an account's API key. The variable's value is the account's id. */
function variableOf(id: string): string {
  return `KEY_${id.replaceAll(/\W/g, "_")}`;
}

/** Returns the environment variables for accounts whose API keys equal the accounts' ids. */
export function environmentOf(ids: readonly string[]): Environment {
  return Object.fromEntries(ids.map((id) => [variableOf(id), id]));
}

/** Returns the configuration of providers A and D at an insurer. */
export function providersOf(
  insurer: Pick<Insurer, "baseUrl">,
  provider: object = {},
): readonly object[] {
  return ["a", "d"].map((letter) => ({
    ...insurerConfiguration(letter, insurer.baseUrl, { credentials: keyOf("default") }),
    callerLimit: { requests: 100_000 },
    ...provider,
  }));
}

/** The two token issuers of the tests of accounts. */
export interface BrokerIssuers {
  /** The `issuers` setting of the configuration. */
  readonly configuration: readonly object[];
  /** Returns a token that is valid for ten years. Equal bearers get the same token. */
  token(bearer: Bearer): string;
  close(): Promise<void>;
}

/** Starts the servers that publish the issuers' keys. */
async function startIssuers(
  time: Pick<HeldTime, "now">,
  more: object = {},
): Promise<BrokerIssuers> {
  const pairs = new Map<string, KeyPair>(
    [ONE, OTHER].map((issuer) => [issuer, makeKeyPair("rsa", { kid: "rsa-1", alg: "RS256" })]),
  );
  const servers = await Promise.all([...pairs.values()].map(({ jwk }) => startKeyServer([jwk])));
  const made = new Map<string, string>();
  const make = ({ issuer = ONE, scope, subject = "sub", tenant }: Bearer): string => {
    const pair = pairs.get(issuer);
    if (pair === undefined) throw new TypeError("There is no such issuer");
    const now = Math.floor(time.now() / 1_000);
    const times = { iat: now, exp: now + 10 * 365 * 86_400 };
    return makeToken(pair, {
      claims: { iss: issuer, sub: subject, ...times, scope, [CLAIM]: tenant },
    });
  };
  return {
    configuration: [...pairs.keys()].map((issuer, index) => ({
      issuer,
      audience: "insurance-gateway",
      jwksUri: servers[index]?.baseUrl,
      algorithms: ["RS256"],
      ...more,
    })),
    token(bearer) {
      const key = JSON.stringify(bearer);
      const token = made.get(key) ?? make(bearer);
      made.set(key, token);
      return token;
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** Starts the issuers, the insurer and the gateway. `accounts` is the configuration's setting `accounts`. */
export async function startBrokers(
  accounts: object | undefined,
  behaviour: Behaviour,
  {
    environment: own = {},
    ids = [],
    issuer: issuerMore = {},
    more = {},
    parts = {},
    provider = {},
  }: {
    /** Ids of the accounts whose API keys are in the environment, in addition to `default`. */
    readonly ids?: readonly string[];
    readonly provider?: object;
    readonly environment?: Environment;
    /** Further settings of the configuration. */
    readonly more?: object;
    /** Settings of both issuers. */
    readonly issuer?: object;
    readonly parts?: InProcessOptions;
  } = {},
): Promise<Brokers> {
  const time = holdTime();
  const issuers = await startIssuers(time, issuerMore);
  const insurer = await startInsurer(behaviour);
  const folder = parts.folder ?? makeGatewayFolder();
  const start = (changed: object, environment: Environment = {}): Promise<GatewayInProcess> =>
    startInProcess(
      {
        issuers: issuers.configuration,
        providers: providersOf(insurer, provider),
        ...more,
        ...changed,
      },
      { ...environmentOf(["default", ...ids]), ...own, ...environment },
      { time, ...parts, folder },
    );
  let gateway = await start(accounts === undefined ? {} : { accounts });
  return {
    get gateway() {
      return gateway;
    },
    insurer,
    time,
    folder,
    token: (bearer) => issuers.token(bearer),
    ask: (bearer, path = SEARCH) =>
      fetch(gateway.address + path, {
        headers: { authorization: `Bearer ${issuers.token(bearer)}` },
      }),
    submit: (bearer, body, key) =>
      submitApplication(
        { address: gateway.address, token: issuers.token(bearer) },
        body,
        key === undefined ? {} : { "idempotency-key": key },
      ),
    async restart(configuration, environment) {
      await gateway.end();
      gateway = await start(configuration, environment);
    },
    operator: (path) => fetch(gateway.operationsAddress + path),
    async stop() {
      await gateway.stop();
      await insurer.close();
      await issuers.close();
    },
  };
}
