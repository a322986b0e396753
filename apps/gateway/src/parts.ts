import type { ErrorPages } from "@insurance-gateway/core/runtime";
import { pagingOf, withoutPage } from "@insurance-gateway/core/runtime";
import type { Registry } from "prom-client";
import { openAccounts } from "./accounts/accounts.ts";
import { type AccountAdministration, createAdministration } from "./accounts/administration.ts";
import { createTenants } from "./accounts/tenants.ts";
import { createUsage } from "./accounts/usage/account-usage.ts";
import { type AuthenticationSettings, createAuthenticate } from "./callers/authenticate.ts";
import { createIssuers, type Issuers } from "./callers/issuers.ts";
import type { AccountRules } from "./configuration/account-check.ts";
import { diskFiles } from "./configuration/files.ts";
import type { Configuration, Environment } from "./configuration/load.ts";
import { isProduction } from "./configuration/production.ts";
import { createReadSecret } from "./configuration/secrets.ts";
import type { ReadSettings, Settings } from "./configuration/settings.ts";
import { openSubmissionKeys } from "./configuration/submission-store.ts";
import type { Events } from "./events.ts";
import { startLoadShedding } from "./http/shedding.ts";
import type { InsurerParts } from "./insurers/insurer.ts";
import { type InsurersWithInspection, openInsurers } from "./insurers/insurers.ts";
import { createMaintenancePlan } from "./insurers/resilience/maintenance.ts";
import type { Logger } from "./operator/logging/logger.ts";
import {
  createObservers,
  type GatewayObservation,
  showState,
} from "./operator/observation/observe-gateway.ts";
import { countWideSearches } from "./operator/observation/wide-searches.ts";
import { createProviderStatuses } from "./operator/provider-status.ts";
import { createPipeline, type Pipeline, type PipelineParts } from "./pipeline/pipeline.ts";
import { type OpenedReference, openReference } from "./reference/open-reference.ts";
import { type CurrentSettings, createCurrentSettings } from "./reload/current.ts";
import { type OpenServing, openServing, type Serving } from "./serving.ts";
import { createEncryption, type Encryption } from "./store/encryption.ts";
import type { SubmissionStore } from "./store/store.ts";
import { openSubmissions } from "./submissions/open-submissions.ts";
import { withProblemTypes } from "./submissions/problem-types.ts";
import { type Submissions, submissionSegments } from "./submissions/submissions.ts";
import type { Time } from "./time.ts";

/** Functions that close the opened parts of a gateway, in the order of their opening. */
export type CloseStack = (() => Promise<void>)[];

/** Arguments of `openParts` that a reload does not change. */
export interface StartArguments {
  readonly readSettings: ReadSettings;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly time: Time;
  readonly openStore: (configuration: Configuration) => Promise<SubmissionStore>;
  readonly processMetrics: Registry;
  readonly openTransport: InsurerParts["openTransport"];
}

/** The parts of a gateway, without the servers of its two addresses. */
export interface Parts extends InsurersWithInspection, OpenServing {
  readonly current: CurrentSettings;
  readonly seen: GatewayObservation;
  readonly issuers: Issuers;
  /** Returns the administration of accounts. @throws StoreUnavailableError until the gateway has read the store */
  readonly administration: () => AccountAdministration;
  /** The reference; null if the configuration switches it off. */
  readonly reference: OpenedReference | null;
  readonly submissions: Submissions;
  readonly pipeline: Pipeline;
  readonly pages: () => ErrorPages;
}

/**
 * Opens the parts of a gateway. Each part is opened after the parts that it uses, and informs later parts only by
 * events.
 * @param closing - `openParts` appends the functions that close the opened parts, even if another part cannot be opened
 */
export async function openParts(
  start: StartArguments,
  settings: Settings,
  closing: CloseStack,
): Promise<Parts> {
  const { logger, openTransport, time } = start;
  const { configuration, installed } = settings;
  const now = (): number => time.now();
  const current = createCurrentSettings(settings, now);
  const observers = createObservers(start.processMetrics, now, logger);
  const { events } = observers;
  const issuers = createIssuers({ time, logger, observation: events });
  const encryption = createEncryption(
    await openSubmissionKeys(configuration, start.environment, "serve"),
  );
  const { accounts, administration, ...brokers } = openAccountParts(
    start,
    current,
    events,
    encryption,
  );
  const { maintenance, tenants, usage } = brokers;
  const opened = await openInsurers({
    configuration: current.configuration,
    installed,
    maintenance,
    readAccount: accounts.read,
    observation: events,
    openTransport,
    time,
    logger,
  });
  const { insurers } = opened;
  closing.push(opened.close);
  events.observe({ accountChanged: (segment, id) => insurers.accountChanged(segment, id) });
  const reference = await openReference({ configuration, installed, insurers, logger });
  const serving = await openServing(settings, { insurers, issuers, reference });
  const { generations } = serving;
  closing.push(() => generations.close());
  const pages = (): ErrorPages => reference?.errorPages() ?? null;
  const opening = openSubmissions({
    ...start,
    ...brokers,
    configuration,
    openStore: () => start.openStore(configuration),
    segments: submissionSegments(generations.current().routes),
    async withRoutes(work) {
      const { release, value } = generations.acquireGeneration();
      return work(value.routes).finally(release);
    },
    queriesPerSecond: () => current.configuration().submissions.queriesPerSecond,
    encryption,
    accounts,
    observation: events,
  });
  const submissions: Submissions = withProblemTypes(await opening, pages);
  closing.push(() => submissions.stop());
  events.observe({
    insurerRecovered: (segment, account) => submissions.insurerRecovered(segment, account),
  });
  const seen = showState(observers, {
    countUnknown: () => submissions.countUnknown(),
    storeState: () => submissions.storeState(),
    clockFaults: () => submissions.clockFaults(),
    usage,
    maintenance,
    traffic: () => insurers.traffic(),
    answerMemory: opened.answerMemory,
    configuration: current.state,
    expiries: () => [...current.settings().expiries, ...accounts.expiries()],
  });
  const shedding = startLoadShedding(() => current.configuration().overload, time, events.shed);
  closing.push(() => shedding.stop());
  const providers = createProviderStatuses({
    ...seen,
    maintenance,
    days: usage.days,
    attempts: () => usage.attempts(),
  });
  const pipeline = createPipeline({
    own: { submissions, providers, scenarios: insurers.scenarios },
    shedding,
    authenticate: createAuthenticate({
      settings: () => authenticationOf(generations.current()),
      time,
      tokenRefused: events.tokenRefused,
    }),
    submissions,
    tenants,
    quotas: usage.quotas,
    searched: watchSearches(start, current, seen, submissions),
    pages,
    logger,
  });
  const parts = { pages, current, seen, issuers, administration, reference, submissions, pipeline };
  return { ...opened, ...serving, ...parts };
}

/** Opens the accounts, their usage and the maintenance plan. Usage ignores calls during maintenance. */
function openAccountParts(
  { environment, logger, time }: StartArguments,
  current: CurrentSettings,
  events: Events,
  encryption: Encryption,
) {
  const now = (): number => time.now();
  const { accounts: configured, folder } = current.configuration();
  const rules = (): AccountRules => ({
    installed: current.settings().installed,
    issuers: current.configuration().issuers.map(({ issuer }) => issuer),
    isProduction: isProduction(environment),
    readSecret: createReadSecret(environment, folder, diskFiles),
  });
  const accounts = openAccounts({
    settings: current.settings,
    rules,
    changed: events.accountChanged,
    warn: (account, message) => logger.warn({ account }, message),
  });
  const maintenance = createMaintenancePlan(() => current.settings().installed, now);
  const usage = createUsage({
    timeZone: configured.timeZone,
    time,
    quotasOf: ({ account }) => ({
      ...current.configuration().accounts.quotas,
      ...accounts.quotasOf(account),
    }),
    refused: events.quotaReached,
    isMaintained: (segment) => maintenance.current(segment) !== null,
  });
  events.observe(usage.observation);
  const administration = (): AccountAdministration =>
    createAdministration({
      accounts,
      encryption,
      rules: rules(),
      now,
      changed: ({ action, by, account }) =>
        logger.info({ action, by, account }, "an account was changed"),
    });
  const tenants = createTenants(configured.claim, accounts);
  return { accounts, administration, maintenance, tenants, usage };
}

/** Returns the settings for the check of callers' tokens. */
function authenticationOf({ configuration, issuers, limits }: Serving): AuthenticationSettings {
  const { accounts, authentication } = configuration;
  const { tokenBytes } = limits;
  return { ...authentication, issuers: issuers.all, tenantClaim: accounts.claim, tokenBytes };
}

/** Creates the function that counts searches and reports a caller with unusually many different searches. */
function watchSearches(
  { logger, time }: Pick<StartArguments, "logger" | "time">,
  { configuration }: CurrentSettings,
  { observation }: Pick<GatewayObservation, "observation">,
  submissions: Pick<Submissions, "pseudonym">,
): PipelineParts["searched"] {
  const isWide = countWideSearches(() => configuration().observation.searchesPerHour, time);
  return ({ endpoint, name, segment }, caller, input, requestId) => {
    if (!isWide(caller, withoutPage(pagingOf(endpoint), input))) return;
    observation.searchedWidely({ segment });
    logger.warn(
      {
        requestId,
        caller: submissions.pseudonym(caller),
        provider: endpoint.provider,
        endpoint: name,
      },
      "a caller searches for unusually many customers",
    );
  };
}
