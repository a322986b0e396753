import type { ProviderOnPage, ScenarioOnPage, SiteSource } from "@insurance-gateway/reference";
import type { DevelopmentIssuer } from "../callers/development-issuer.ts";
import type { Configuration } from "../configuration/load.ts";
import type { InstalledProvider } from "../configuration/providers.ts";
import { undeclaredProviders } from "../configuration/workspace.ts";
import type { RequestHead } from "../http/exchange.ts";
import { formatBytes } from "../http/quantities.ts";
import type { Insurers } from "../insurers/insurers.ts";
import { failureOf } from "../operator/logging/failure.ts";
import type { Logger } from "../operator/logging/logger.ts";
import { createDevelopmentToken, newStartSecret } from "./development-token.ts";
import type { FoundPage, Pages, PagesParts } from "./pages.ts";
import { prefersPage } from "./prefers-page.ts";

/** Arguments of `openReference`. */
export interface OpenReferenceParts {
  readonly configuration: Configuration;
  readonly installed: readonly InstalledProvider[];
  readonly insurers: Pick<Insurers, "scenarios">;
  readonly logger: Logger;
}

/** The reference with the current settings. */
export interface Reference {
  /**
   * Finds the page of a path, or the "not found" page; null for a path outside the reference.
   * @throws Refusal METHOD_NOT_ALLOWED
   */
  find(method: string, path: string): Promise<FoundPage> | null;
  /**
   * Leads a browser from an address without a route to the reference: redirects it, or shows the "not found" page.
   * @returns a function that finds the page; null if the request is not from a browser
   */
  lead(head: RequestHead, path: string): (() => Promise<FoundPage>) | null;
}

/** The reference from the start of the gateway to its end, across reloads. */
export interface OpenedReference {
  /**
   * Returns the reference with the limits of a configuration.
   * @param development - the issuer of development tokens; null if the gateway issues no such tokens
   */
  with(configuration: Configuration, development: DevelopmentIssuer | null): Reference;
  /** Sets the gateway's address, before the first request. */
  listensAt(address: string): void;
  /** Returns the address of the error pages, without the error code at the end; empty until the gateway listens. */
  readonly errorPages: () => string;
  /**
   * Returns the fragment of the printed address. The fragment contains the secret for development tokens, and is empty
   * if the gateway issues no such tokens.
   */
  readonly fragment: () => string;
}

interface ServedReference {
  /** The limits and facts that a reload can change and that the pages show, as JSON. */
  readonly made: string;
  readonly reference: Reference;
  readonly fragment: string;
}

/** Opens the reference. Returns null if the configuration switches it off. */
export async function openReference(parts: OpenReferenceParts): Promise<OpenedReference | null> {
  const { configuration, installed, insurers, logger } = parts;
  const { listen, reference } = configuration;
  if (!reference.served) return null;
  const undeclared = await undeclaredProviders(configuration);
  let address = reference.address ?? "";
  let errorPages = "";
  let catalogue: readonly ProviderOnPage[] | undefined;
  // The documents can be large, and calls do not need them, so they are read only for the first request for a page.
  const pagesOf = async (
    own: Omit<PagesParts, "source">,
    source: Omit<SiteSource, "address" | "providers">,
  ): Promise<Pages> => {
    const [{ createPages }, { catalogueOf }] = await Promise.all([
      import("./pages.ts"),
      import("./catalogue.ts"),
    ]);
    catalogue ??= catalogueOf(installed, undeclared, ({ id }, error) => {
      const failure = failureOf(error);
      logger.warn({ provider: id, failure }, "a provider's OpenAPI document cannot be used");
    });
    const providers = catalogue;
    return createPages({ ...own, source: () => ({ ...source, address, providers }) });
  };
  const secret = newStartSecret();
  let served: ServedReference | null = null;
  return {
    listensAt(listening) {
      address = reference.address ?? listening;
      // Behind a load balancer, callers cannot reach the listening address. A path without a host works for these
      // callers.
      const isReached = reference.address !== undefined || listen.trustedProxies.length === 0;
      errorPages = `${isReached ? address : listen.basePath}/reference/errors/`;
    },
    errorPages: () => errorPages,
    fragment: () => served?.fragment ?? "",
    with(settings, development) {
      // Behind a load balancer on this machine, every caller seems to be on this machine: issue no development tokens.
      const offered = listen.trustedProxies.length === 0 ? development : null;
      const limits = limitLines(settings);
      const made = JSON.stringify([limits, offered !== null]);
      // After a reload without a change of the content, the rendered pages stay in use.
      if (served?.made === made) return served.reference;
      const { basePath } = listen;
      const own = referenceBelow(basePath, () =>
        pagesOf(
          {
            basePath,
            developmentToken: offered === null ? null : createDevelopmentToken(offered, secret),
          },
          {
            scenarios: (insurers.scenarios ?? []).map(scenarioOnPage),
            basePath,
            developmentToken: offered !== null,
            limits,
          },
        ),
      );
      // A browser does not send the fragment, so no log and no proxy contains the secret.
      served = { made, reference: own, fragment: offered === null ? "" : `#start=${secret}` };
      return own;
    },
  };
}

/** Returns a reference that creates its pages for the first request. */
function referenceBelow(basePath: string, open: () => Promise<Pages>): Reference {
  const front = `${basePath}/reference`;
  let opened: Promise<Pages> | undefined;
  const find = async (method: string, path: string): Promise<FoundPage> => {
    // After an error, the next request creates the pages again.
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return (await opened).find(method, path);
  };
  return {
    find: (method, path) =>
      path === front || path.startsWith(`${front}/`) ? find(method, path) : null,
    lead(head, path) {
      const { headers, method = "" } = head;
      if (!["GET", "HEAD"].includes(method) || headers.authorization !== undefined) return null;
      if (path !== basePath && !path.startsWith(`${basePath}/`)) return null;
      const asked = path.slice(basePath.length);
      const file = rootFiles.get(asked);
      if (file !== undefined) return async () => redirect(asked, front + file);
      if (!prefersPage(head)) return null;
      return async () =>
        frontPaths.includes(asked) ? redirect(asked, front) : find(method, `${front}/no-such-page`);
    },
  };
}

/** Paths that people try when they look for the front page. */
const frontPaths: readonly string[] = ["", "/", "/docs"];

/** Files that programs request at the root of the address, with the files' paths below `/reference`. */
const rootFiles: ReadonlyMap<string, string> = new Map([
  ["/favicon.ico", "/assets/icon.svg"],
  ["/llms.txt", "/llms.txt"],
]);

function redirect(template: string, location: string): FoundPage {
  const headers = { location, "cache-control": "public, no-cache", vary: "accept" };
  return { template, answer: async () => ({ status: 302, headers, content: null }) };
}

function scenarioOnPage({
  effect,
  endpoint,
  name,
  problem,
  provider,
  when,
}: NonNullable<Insurers["scenarios"]>[number]): ScenarioOnPage {
  return {
    provider,
    name,
    endpoint,
    effect,
    problem,
    when: when === null ? null : `\`${fieldOf(when.pointer)}\` is \`${String(when.equals)}\``,
  };
}

/** Converts a JSON Pointer to the name of a field: `/body/holder/afm` becomes `holder.afm`. */
function fieldOf(pointer: string): string {
  return pointer.split("/").slice(2).join(".");
}

/** Returns the limits of a configuration as rows of a table. */
export function limitLines({
  accounts: { quotas },
  limits,
  providers,
  submissions,
}: Configuration): readonly (readonly [string, string])[] {
  const range = (values: readonly number[], unit: string): string => {
    const rounded = values.map((value) => Math.round(value * 10) / 10);
    const least = Math.min(...rounded);
    const most = Math.max(...rounded);
    return least === most ? `${least} ${unit}` : `${least} to ${most} ${unit}, by provider`;
  };
  const seconds = (pick: (provider: Configuration["providers"][number]) => number): string =>
    range(
      providers.map((provider) => pick(provider) / 1_000),
      "s",
    );
  const perMinute = providers.map(
    ({ callerLimit }) => (callerLimit.requests / callerLimit.windowSeconds) * 60,
  );
  return [
    ["Requests of one caller to one provider", range(perMinute, "a minute")],
    ...perDay("Requests of one account to one provider", quotas.requestsPerDay),
    ...perDay("Submissions of one account to one provider", quotas.submissionsPerDay),
    ["JSON body", formatBytes(limits.bodyBytes)],
    ["Depth of a JSON body", `${limits.jsonDepth} levels`],
    ["All headers together", formatBytes(limits.headerBytes)],
    ["Token", formatBytes(limits.tokenBytes)],
    ["Items on a page of a search", "20; maximum 100"],
    [
      "A call that is not a submission",
      `answered within ${seconds(({ timeouts }) => timeouts.totalMs)}`,
    ],
    ["A submission", `answered within ${seconds(({ timeouts }) => timeouts.submissionMs)}`],
    ["Answers to submissions are stored for", `${submissions.answerKeptHours} hours`],
    ["Idempotency keys of submissions are stored for", `${submissions.keyRetentionDays} days`],
  ];
}

/** Returns the row for a default quota of accounts. A single account may have another quota. */
function perDay(what: string, quota: number | undefined): readonly (readonly [string, string])[] {
  return quota === undefined ? [] : [[what, `${quota} a day, unless agreed otherwise`]];
}
