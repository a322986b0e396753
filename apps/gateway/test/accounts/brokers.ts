import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import type { Environment } from "../../src/configuration/load.ts";
import { makeToken } from "../callers/good-token.ts";
import { type KeyPair, makeKeyPair } from "../callers/signing.ts";
import { startKeyServer } from "../callers/token-gateway.ts";
import { submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  type InProcessOptions,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Arrival, type Behaviour, type Insurer, startInsurer } from "../harness/insurer.ts";

/** The claim that names a tenant in these tests. */
export const CLAIM = "broker";

/** Two issuers, whose tenants may have the same names. */
export const ONE = "https://one.example";
export const OTHER = "https://other.example";

/** Whose token it is. */
export interface Bearer {
  readonly issuer?: string;
  readonly subject?: string;
  /** The value of the claim; left out of the token when undefined. */
  readonly tenant?: unknown;
  readonly scope?: string;
}

/** A gateway before providers A and D, whose insurer knows each account by its key. */
export interface Brokers {
  readonly gateway: GatewayInProcess;
  readonly insurer: Insurer;
  readonly time: HeldTime;
  readonly folder: GatewayFolder;
  token(bearer: Bearer): string;
  /** Asks for a path. Default: provider D's search. */
  ask(bearer: Bearer, path?: string): Promise<Response>;
  submit(bearer: Bearer, body: object, key?: string): Promise<Response>;
  /** Stops the gateway and starts it with another configuration, on the same folder, insurer and clock. */
  restart(configuration: object, environment?: Environment): Promise<void>;
  operator(path: string): Promise<Response>;
  stop(): Promise<void>;
}

/** The header that carries an account's key to the insurer. */
export const KEY_HEADER = "x-agency-key";

/** Returns the key with which a request reached the insurer. */
export function keyIn({ headers }: Pick<Arrival, "headers">): string {
  return String(headers[KEY_HEADER] ?? "none");
}

export const SEARCH = "/provider-d/applications/search?clientAfm=123456789";
export const BRANDS = "/provider-a/auto/brands";

/** An account in the configuration file, whose key is in an environment variable with the id's letters. */
export function account(
  id: string,
  tenant: string,
  { issuer = ONE, segment = "provider-d", ...more }: Readonly<Record<string, unknown>> = {},
): object {
  return { id, tenant: { issuer, name: tenant }, segment, credentials: keyOf(id), ...more };
}

/** The credentials of an account: an API key in the environment. */
function keyOf(id: string): object {
  return { type: "apiKey", header: KEY_HEADER, value: { env: variableOf(id) } };
}

/** The name of the environment variable of an account's key; its value is the id. */
function variableOf(id: string): string {
  return `KEY_${id.replaceAll(/\W/g, "_")}`;
}

/** The environment in which each account's key is its own id. */
export function environmentOf(ids: readonly string[]): Environment {
  return Object.fromEntries(ids.map((id) => [variableOf(id), id]));
}

/** The configuration of providers A and D before an insurer. */
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

/** The two issuers of these tests. */
export interface BrokerIssuers {
  /** The accounts' part of a configuration. */
  readonly configuration: readonly object[];
  /** A token that no test outlives; the same one for the same bearer. */
  token(bearer: Bearer): string;
  close(): Promise<void>;
}

/** Starts the servers of the issuers' keys. */
export async function startIssuers(
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

/** Starts it; `accounts` is that part of the configuration. */
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
    /** Whose keys are in the environment, beside `default`. */
    readonly ids?: readonly string[];
    readonly provider?: object;
    readonly environment?: Environment;
    /** Further keys of the configuration. */
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
