import { url as inspectorUrl } from "node:inspector";
import { ConfigurationError } from "./configuration-error.ts";
import type { AccountConfiguration } from "./file.ts";
import type { Configuration, Environment } from "./load.ts";

/** Returns a fault for each setting that is unsafe in production, with the setting's path and a remedy. */
async function faultsIn(
  { issuers, listen, providers, submissions }: Configuration,
  environment: Environment,
): Promise<readonly string[]> {
  const { DATABASE_URL, NODE_DEBUG = "", NODE_OPTIONS = "" } = environment;
  const options = [...process.execArgv, ...NODE_OPTIONS.split(/\s+/)].map((option) =>
    option.replaceAll(/["']/g, "").replaceAll("_", "-"),
  );
  return [
    ...faultIf(
      issuers.length === 0,
      "issuers: must have your issuer; without one, the gateway accepts development tokens, which everyone on its machine can create",
    ),
    ...issuers.flatMap(({ jwksUri, scopesRequired }, index) => [
      ...faultIf(
        scopesRequired === undefined,
        `issuers[${index}].scopesRequired: must be true, or false if every token of the issuer has full access`,
      ),
      ...faultIf(
        crossesInClear(jwksUri),
        `issuers[${index}].jwksUri: must be https, because an attacker who replaces the keys on the network can forge tokens`,
      ),
    ]),
    ...faultIf(
      submissions.keys.length === 0,
      "submissions.keys: must have a key that is kept apart from the store; create one with `openssl rand -base64 32`",
    ),
    ...providers.flatMap(({ upstream }, index) => {
      const at = `providers[${index}].upstream`;
      if (upstream === "sandbox")
        return [`${at}: must be an insurer, because calls to a sandbox reach no insurer`];
      return [
        ...faultIf(
          crossesInClear(upstream.baseUrl),
          `${at}.baseUrl: must be https, because it transmits customers' data and credentials`,
        ),
        ...faultIf(
          isTokenServerInsecure(upstream),
          `${at}.credentials.tokenUrl: ${INSECURE_TOKEN_SERVER}`,
        ),
      ];
    }),
    ...faultIf(
      listen.tls === undefined && !listen.tlsEndsBefore && !isLoopback(listen.host),
      "listen: must use TLS to protect tokens; set listen.tls, or listen.tlsEndsBefore if a load balancer terminates TLS",
    ),
    ...faultIf(
      listen.tlsEndsBefore && listen.trustedProxies.length === 0,
      "listen.trustedProxies: must name the load balancer that terminates TLS; otherwise one caller's refused tokens count for all callers",
    ),
    ...faultIf(
      listen.trustedProxies.some((range) => range.endsWith("/0")),
      "listen.trustedProxies: must not trust every address; name the load balancers",
    ),
    ...faultIf(
      DATABASE_URL !== undefined && !(await isDatabaseSafe(DATABASE_URL)),
      "DATABASE_URL (environment): must request TLS with ?sslmode=verify-full if the database is on another machine",
    ),
    ...faultIf(
      environment.NODE_TLS_REJECT_UNAUTHORIZED === "0",
      "NODE_TLS_REJECT_UNAUTHORIZED (environment): 0 accepts any certificate; remove it",
    ),
    ...faultIf(
      NODE_DEBUG !== "",
      "NODE_DEBUG (environment): prints addresses that contain customers' numbers; remove it",
    ),
    ...options
      .filter((option) => UNSAFE_OPTION.test(option))
      .map(
        (option) =>
          `${option} (command line or NODE_OPTIONS): makes the gateway insecure; remove it`,
      ),
    ...faultIf(
      inspectorUrl() !== undefined,
      "the inspector is open: it can read and change everything in the process; start the gateway without it",
    ),
  ];
}

function faultIf(isBroken: boolean, fault: string): readonly string[] {
  return isBroken ? [fault] : [];
}

/** Options of Node.js that let others control the process, write its memory to disk, or weaken its connections. */
const UNSAFE_OPTION =
  /^--(insecure-http-parser|inspect(-brk|-wait|-port|-publish-uid)?|tls-.*|report-.*|heapsnapshot-.*)(=|$)/;

/** The fault for a token server's address without TLS. */
export const INSECURE_TOKEN_SERVER = "must be https, because it transmits a secret and tokens";

/** Reports whether credentials would be sent to a token server without TLS. */
export function isTokenServerInsecure({
  credentials,
}: Pick<AccountConfiguration, "credentials">): boolean {
  return [credentials]
    .flat()
    .some((credential) => credential?.type === "oauth2" && crossesInClear(credential.tokenUrl));
}

/** Reports whether the gateway runs in production. */
export function isProduction({ NODE_ENV }: Environment): boolean {
  return NODE_ENV?.trim().toLowerCase() === "production";
}

/** Returns the unsafe settings if NODE_ENV is `production`; otherwise an empty list. */
export async function unsafeSettings(
  configuration: Configuration,
  environment: Environment,
): Promise<readonly string[]> {
  return isProduction(environment) ? faultsIn(configuration, environment) : [];
}

/**
 * Refuses a start with unsafe settings in production.
 * @throws ConfigurationError with every fault if NODE_ENV is `production`
 */
export async function refuseUnsafeSettings(
  configuration: Configuration,
  environment: Environment,
): Promise<void> {
  const faults = await unsafeSettings(configuration, environment);
  if (faults.length > 0) throw new ConfigurationError(configuration.source, faults);
}

/**
 * Reports whether the connection to a database is on this machine or uses TLS. The driver's parser reads the address,
 * because the parser accepts more forms than URL does, and uses the last of repeated parameters.
 */
async function isDatabaseSafe(databaseUrl: string): Promise<boolean> {
  const { Client } = await import("pg");
  // The driver's types lack `ssl`, the TLS options of the connection.
  const { host, ssl }: { host: string; ssl?: unknown } = new Client(databaseUrl);
  // A host that starts with a slash is a socket of this machine.
  if (host.startsWith("/") || isLoopback(host)) return true;
  const options: { rejectUnauthorized?: unknown } = { ...(typeof ssl === "object" ? ssl : {}) };
  return ssl !== undefined && ssl !== false && options.rejectUnauthorized !== false;
}

function crossesInClear(address: string): boolean {
  const { hostname, protocol } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname);
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
