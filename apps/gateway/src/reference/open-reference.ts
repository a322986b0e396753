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

/** The parts of the reference. */
export interface OpenReferenceParts {
  readonly configuration: Configuration;
  readonly installed: readonly InstalledProvider[];
  readonly insurers: Pick<Insurers, "scenarios">;
  readonly logger: Logger;
}

/** The reference as it is served. */
export interface Reference {
  /**
   * Finds the page for a path, or the page for a missing one; null for a path outside the reference.
   * @throws Refusal for a method that a page has not
   */
  find(method: string, path: string): Promise<FoundPage> | null;
  /**
   * Leads people from an address that no route serves to the reference: with a redirect, or with the page for missing pages.
   * @returns null for a request that is not a browser's; otherwise what finds the page, if no route serves the path
   */
  lead(head: RequestHead, path: string): (() => Promise<FoundPage>) | null;
}

/** The reference through every change of the settings. */
export interface OpenedReference {
  /** Serves the limits of a configuration, `development` is the issuer of its tokens, where there is one. */
  with(configuration: Configuration, development: DevelopmentIssuer | null): Reference;
  /** Tells the address of the gateway, before its first request. */
  listensAt(address: string): void;
  /** The address below which each code's page is; empty until the gateway listens. */
  readonly errorPages: () => string;
  /** Returns the end of the printed address: the secret for the development-token button, if the pages have one. */
  readonly fragment: () => string;
}

interface Served {
  /** The content that it was made of, without the parts that never change. */
  readonly made: string;
  readonly reference: Reference;
  readonly fragment: string;
}

/** Opens the reference of a configuration; null if it is not served. */
export async function openReference(parts: OpenReferenceParts): Promise<OpenedReference | null> {
  const { configuration, installed, insurers, logger } = parts;
  const { listen, reference } = configuration;
  if (!reference.served) return null;
  const undeclared = await undeclaredProviders(configuration);
  let address = reference.address ?? "";
  let errorPages = "";
  let catalogue: readonly ProviderOnPage[] | undefined;
  // The documents of large providers are large, and no call needs them: they are read with the first page.
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
      logger.warn({ provider: id, failure }, "a provider's document cannot be used");
    });
    const providers = catalogue;
    return createPages({ ...own, source: () => ({ ...source, address, providers }) });
  };
  const secret = newStartSecret();
  let served: Served | null = null;
  return {
    listensAt(listening) {
      address = reference.address ?? listening;
      // Behind a load balancer, callers do not reach the address that is listened on; a path leads to the page there, too.
      const isReached = reference.address !== undefined || listen.trustedProxies.length === 0;
      errorPages = `${isReached ? address : listen.basePath}/reference/errors/`;
    },
    errorPages: () => errorPages,
    fragment: () => served?.fragment ?? "",
    with(settings, development) {
      // Behind a load balancer every caller seems to be on this machine.
      const offered = listen.trustedProxies.length === 0 ? development : null;
      const limits = limitLines(settings);
      const made = JSON.stringify([limits, offered !== null]);
      // Pages that were drawn are not drawn again for a reload that does not change them.
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
      // A browser sends no fragment, so the secret reaches no log and no proxy.
      served = { made, reference: own, fragment: offered === null ? "" : `#start=${secret}` };
      return own;
    },
  };
}

/** The pages below `/reference`, which are opened with the first request of one. */
function referenceBelow(basePath: string, open: () => Promise<Pages>): Reference {
  const front = `${basePath}/reference`;
  let opened: Promise<Pages> | undefined;
  const find = async (method: string, path: string): Promise<FoundPage> => {
    // An error is not remembered: the next request opens them again.
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
      const file = files.get(asked);
      if (file !== undefined) return async () => redirect(asked, front + file);
      if (!prefersPage(head)) return null;
      return async () =>
        fronts.includes(asked) ? redirect(asked, front) : find(method, `${front}/no-such-page`);
    },
  };
}

/** Addresses that people try for the front page. */
const fronts: readonly string[] = ["", "/", "/docs"];

/** Files that programs look for at the root, and their places below `/reference`. */
const files: ReadonlyMap<string, string> = new Map([
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

/** `/body/holder/afm` → `holder.afm`. */
function fieldOf(pointer: string): string {
  return pointer.split("/").slice(2).join(".");
}

/** The limits of a configuration, as lines of a table. */
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
    ["Items of a page of a search", "20, 100 at most"],
    [
      "A call that changes nothing",
      `answered within ${seconds(({ timeouts }) => timeouts.totalMs)}`,
    ],
    ["A submission", `answered within ${seconds(({ timeouts }) => timeouts.submissionMs)}`],
    ["Answers to submissions are kept", `${submissions.answerKeptHours} hours`],
    ["Their keys are remembered", `${submissions.hashKeptDays} days`],
  ];
}

/** A quota that all accounts have; one account may have another. */
function perDay(what: string, quota: number | undefined): readonly (readonly [string, string])[] {
  return quota === undefined ? [] : [[what, `${quota} a day, unless agreed otherwise`]];
}
