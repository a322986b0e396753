import { url as inspectorUrl } from "node:inspector";
import { ConfigurationError } from "./configuration-error.ts";
import type { AccountConfiguration } from "./file.ts";
import type { Configuration, Environment } from "./load.ts";

/** Lists what production refuses of a configuration, each fault with its path and what to do. */
async function faultsIn(
  { issuers, listen, providers, submissions }: Configuration,
  environment: Environment,
): Promise<readonly string[]> {
  const { DATABASE_URL, NODE_DEBUG = "", NODE_OPTIONS = "" } = environment;
  const options = [...process.execArgv, ...NODE_OPTIONS.split(/\s+/)].map((option) =>
    option.replaceAll(/["']/g, "").replaceAll("_", "-"),
  );
  return [
    ...when(
      issuers.length === 0,
      "issuers: without any, tokens are those of the development issuer, which anyone beside the gateway can have; add your issuer",
    ),
    ...issuers.flatMap(({ jwksUri, scopesRequired }, index) => [
      ...when(
        scopesRequired === undefined,
        `issuers[${index}].scopesRequired: must be set: true, or false where every token of the issuer may do everything`,
      ),
      ...when(
        crossesInClear(jwksUri),
        `issuers[${index}].jwksUri: must be https: an attacker who replaces the keys on the network can forge tokens`,
      ),
    ]),
    ...when(
      submissions.keys.length === 0,
      "submissions.keys: must have a key, kept apart from the store; `openssl rand -base64 32` makes one",
    ),
    ...providers.flatMap(({ upstream }, index) => {
      const at = `providers[${index}].upstream`;
      if (upstream === "sandbox")
        return [`${at}: is a sandbox, so nothing would reach an insurer; configure the insurer`];
      return [
        ...when(
          crossesInClear(upstream.baseUrl),
          `${at}.baseUrl: must be https: customers' data and credentials cross it`,
        ),
        ...when(isTokenServerClear(upstream), `${at}.credentials.tokenUrl: ${CLEAR_TOKENS}`),
      ];
    }),
    ...when(
      listen.tls === undefined && !listen.tlsEndsBefore && !isLoopback(listen.host),
      "listen: tokens would cross in clear; set listen.tls, or listen.tlsEndsBefore where a load balancer ends TLS",
    ),
    ...when(
      listen.tlsEndsBefore && listen.trustedProxies.length === 0,
      "listen.trustedProxies: name the load balancer that ends TLS, or one caller's refused tokens count for all of them",
    ),
    ...when(
      listen.trustedProxies.some((range) => range.endsWith("/0")),
      "listen.trustedProxies: believes anybody's X-Forwarded-For; name the load balancers",
    ),
    ...when(
      DATABASE_URL !== undefined && !(await isReachedSafely(DATABASE_URL)),
      "DATABASE_URL (environment): must ask for TLS with ?sslmode=verify-full, unless the database is on this machine",
    ),
    ...when(
      environment.NODE_TLS_REJECT_UNAUTHORIZED === "0",
      "NODE_TLS_REJECT_UNAUTHORIZED (environment): 0 believes any certificate; leave it out",
    ),
    ...when(
      NODE_DEBUG !== "",
      "NODE_DEBUG (environment): prints addresses with customers' numbers in them; leave it out",
    ),
    ...options
      .filter((option) => UNSAFE_OPTION.test(option))
      .map((option) => `${option} (command line or NODE_OPTIONS): opens the gateway; leave it out`),
    ...when(
      inspectorUrl() !== undefined,
      "the inspector is open: it can read and change everything in the process; start without it",
    ),
  ];
}

function when(isBroken: boolean, fault: string): readonly string[] {
  return isBroken ? [fault] : [];
}

/** Options that open the process to others, write its memory to disk, or weaken its connections. */
const UNSAFE_OPTION =
  /^--(insecure-http-parser|inspect(-brk|-wait|-port|-publish-uid)?|tls-.*|report-.*|heapsnapshot-.*)(=|$)/;

/** The fault of a token server without TLS. */
export const CLEAR_TOKENS = "must be https: a secret and tokens cross it";

/** Whether credentials would cross in clear on their way to a token server. */
export function isTokenServerClear({
  credentials,
}: Pick<AccountConfiguration, "credentials">): boolean {
  return [credentials]
    .flat()
    .some((credential) => credential?.type === "oauth2" && crossesInClear(credential.tokenUrl));
}

/** Whether the gateway runs where people's insurance is at stake. */
export function isProduction({ NODE_ENV }: Environment): boolean {
  return NODE_ENV?.trim().toLowerCase() === "production";
}

/** Settings that are unsafe in production; empty unless NODE_ENV is `production`. */
export async function unsafeSettings(
  configuration: Configuration,
  environment: Environment,
): Promise<readonly string[]> {
  return isProduction(environment) ? faultsIn(configuration, environment) : [];
}

/**
 * Refuses a start that would be unsafe where people's insurance is at stake.
 * @throws ConfigurationError with every fault, when NODE_ENV is production
 */
export async function refuseUnsafe(
  configuration: Configuration,
  environment: Environment,
): Promise<void> {
  const faults = await unsafeSettings(configuration, environment);
  if (faults.length > 0) throw new ConfigurationError(configuration.source, faults);
}

/** Uses the driver's own reading of the address, which accepts more than URLs and uses the last of repeated parameters. */
async function isReachedSafely(databaseUrl: string): Promise<boolean> {
  const { Client } = await import("pg");
  // Its declarations do not have `ssl`, which is what it will ask of the connection.
  const { host, ssl }: { host: string; ssl?: unknown } = new Client(databaseUrl);
  // A host that begins so is a socket of this machine.
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
