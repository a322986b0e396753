import { url as inspectorUrl } from "node:inspector";
import { ConfigurationError } from "./configuration-error.ts";
import type { AccountConfiguration } from "./file.ts";
import type { Configuration, Environment } from "./load.ts";

/** A rule for production: the faults of a configuration that break it, each with its path and what to do. */
type Rule = (
  configuration: Configuration,
  environment: Environment,
) => readonly string[] | Promise<readonly string[]>;

/** What a start refuses with NODE_ENV=production. */
const rules: readonly Rule[] = [
  ({ issuers }) =>
    issuers.length === 0
      ? [
          "issuers: without any, tokens are those of the development issuer, which anyone beside the gateway can have; add your issuer",
        ]
      : [],
  ({ issuers }) =>
    issuers.flatMap(({ scopesRequired }, index) =>
      scopesRequired === undefined
        ? [
            `issuers[${index}].scopesRequired: must be set: true, or false where every token of the issuer may do everything`,
          ]
        : [],
    ),
  ({ submissions }) =>
    submissions.keys.length === 0
      ? [
          "submissions.keys: must have a key, kept apart from the store; `openssl rand -base64 32` makes one",
        ]
      : [],
  ({ providers }) =>
    providers.flatMap(({ upstream }, index) =>
      upstream === "sandbox"
        ? [
            `providers[${index}].upstream: is a sandbox, so nothing would reach an insurer; configure the insurer`,
          ]
        : [],
    ),
  ({ providers }) =>
    providers.flatMap(({ upstream }, index) =>
      upstream !== "sandbox" && crossesInClear(upstream.baseUrl)
        ? [
            `providers[${index}].upstream.baseUrl: must be https: customers' data and credentials cross it`,
          ]
        : [],
    ),
  ({ providers }) =>
    providers.flatMap(({ upstream }, index) =>
      upstream === "sandbox"
        ? []
        : isTokenServerClear(upstream)
          ? [`providers[${index}].upstream.credentials.tokenUrl: ${CLEAR_TOKENS}`]
          : [],
    ),
  ({ issuers }) =>
    issuers.flatMap(({ jwksUri }, index) =>
      crossesInClear(jwksUri)
        ? [
            `issuers[${index}].jwksUri: must be https: an attacker who replaces the keys on the network can forge tokens`,
          ]
        : [],
    ),
  ({ listen }) =>
    listen.tls === undefined && !listen.tlsEndsBefore && !isLoopback(listen.host)
      ? [
          "listen: tokens would cross in clear; set listen.tls, or listen.tlsEndsBefore where a load balancer ends TLS",
        ]
      : [],
  async (_, { DATABASE_URL }) =>
    DATABASE_URL !== undefined && !(await isReachedSafely(DATABASE_URL))
      ? [
          "DATABASE_URL (environment): must ask for TLS with ?sslmode=verify-full, unless the database is on this machine",
        ]
      : [],
  (_, { NODE_TLS_REJECT_UNAUTHORIZED }) =>
    NODE_TLS_REJECT_UNAUTHORIZED === "0"
      ? ["NODE_TLS_REJECT_UNAUTHORIZED (environment): 0 believes any certificate; leave it out"]
      : [],
  (_, { NODE_DEBUG }) =>
    NODE_DEBUG === undefined || NODE_DEBUG === ""
      ? []
      : [
          "NODE_DEBUG (environment): prints addresses with customers' numbers in them; leave it out",
        ],
  (_, { NODE_OPTIONS = "" }) =>
    [...process.execArgv, ...NODE_OPTIONS.split(/\s+/)]
      .map((option) => option.replaceAll(/["']/g, "").replaceAll("_", "-"))
      .filter((option) => UNSAFE_OPTION.test(option))
      .map((option) => `${option} (command line or NODE_OPTIONS): opens the gateway; leave it out`),
  () =>
    inspectorUrl() === undefined
      ? []
      : [
          "the inspector is open: it can read and change everything in the process; start without it",
        ],
  ({ listen }) =>
    listen.tlsEndsBefore && listen.trustedProxies.length === 0
      ? [
          "listen.trustedProxies: name the load balancer that ends TLS, or one caller's refused tokens count for all of them",
        ]
      : [],
  ({ listen }) =>
    listen.trustedProxies.some((range) => range.endsWith("/0"))
      ? ["listen.trustedProxies: believes anybody's X-Forwarded-For; name the load balancers"]
      : [],
];

/** Options that open the process to others, write its memory to disk, or weaken its connections. */
const UNSAFE_OPTION =
  /^--(insecure-http-parser|inspect(-brk|-wait|-port|-publish-uid)?|tls-.*|report-.*|heapsnapshot-.*)(=|$)/;

/** What is wrong with a token server that is reached in clear. */
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
  if (!isProduction(environment)) return [];
  const faults = await Promise.all(rules.map(async (rule) => rule(configuration, environment)));
  return faults.flat();
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
