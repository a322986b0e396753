import type { Registry } from "prom-client";
import { type Accounts, openAccounts } from "./accounts/gateway-accounts.ts";
import { createUsage, type Usage } from "./accounts/usage/usage.ts";
import { createIssuers } from "./callers/issuers.ts";
import type { Configuration, Environment } from "./configuration/load.ts";
import type { ReadSettings, Settings } from "./configuration/settings.ts";
import { openSubmissionKeys } from "./configuration/submissions.ts";
import type { Difference } from "./events.ts";
import { type Shedding, startShedding } from "./http/shedding.ts";
import { createAnswerBudget } from "./insurers/answer-budget.ts";
import { createRecording, type Recording } from "./insurers/drift/recording.ts";
import { startDriftWatch } from "./insurers/drift/watch.ts";
import { connectInsurers, type Insurers } from "./insurers/insurers.ts";
import { createMaintenancePlan } from "./insurers/maintenance.ts";
import type { InsurerParts } from "./insurers/upstream.ts";
import type { Logger } from "./operator/logging/logger.ts";
import { type CountedAnswers, countDifferences } from "./operator/observation/counted-answers.ts";
import { type GatewayObservation, observeGateway } from "./operator/observation/observe-gateway.ts";
import { createProviderStatuses } from "./operator/provider-status.ts";
import { type OwnParts, ownRoutes } from "./pipeline/own-routes.ts";
import { openReference } from "./reference/open-reference.ts";
import { createGenerations, type Generations } from "./reload/generations.ts";
import type { ReloadState } from "./reload/reload.ts";
import { createProviderRoutes } from "./routing/provider-routes.ts";
import { type Serving, serveWith } from "./serving.ts";
import { createEncryption } from "./store/encryption.ts";
import type { SubmissionStore } from "./store/store.ts";
import { openSubmissions } from "./submissions/open-submissions.ts";
import { type Submissions, submissionSegments } from "./submissions/submissions.ts";
import type { Time } from "./time.ts";

/** How to close what has been opened, the oldest first. */
export type Closing = (() => Promise<void>)[];

/** What a gateway is started with. */
export interface Start {
  readonly readSettings: ReadSettings;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly time: Time;
  readonly openStore: (configuration: Configuration) => Promise<SubmissionStore>;
  readonly processMetrics: Registry;
  readonly openTransport: InsurerParts["openTransport"];
}

/** What is behind the listener. */
export interface Behind {
  readonly seen: GatewayObservation;
  readonly drift: Pick<CountedAnswers<Difference>, "list">;
  readonly recording: Pick<Recording, "examples">;
  readonly insurers: Insurers;
  readonly generations: Generations<Serving>;
  /** Opens what other settings need. */
  readonly serveWith: (settings: Settings) => Promise<Serving>;
  readonly fetchKeys: () => Promise<void>;
  /** Null without a reference. */
  readonly referenceFragment: (() => string) | null;
  readonly shedding: Shedding;
  readonly submissions: Submissions;
  /** What the gateway's own routes ask. */
  readonly own: OwnParts;
  readonly accounts: Accounts;
  readonly usage: Usage;
}

/** Opens everything that is behind the listener; what is opened is added to `closing`. */
export async function openBehind(
  start: Start,
  settings: Settings,
  closing: Closing,
  later: { readonly listening: () => string; readonly reloading: () => ReloadState },
): Promise<Behind> {
  const { environment, logger, processMetrics, time } = start;
  const { configuration, installed } = settings;
  const keys = await openSubmissionKeys(configuration, environment, "serve");
  // Until the first generation is open, its settings count.
  let newest = (): Settings => settings;
  const current = (): Configuration => newest().configuration;
  const maintenance = createMaintenancePlan(
    () => newest().installed,
    () => time.now(),
  );
  const usage = createUsage({
    timeZone: configuration.accounts.timeZone,
    time,
    quotasOf: ({ account }) => ({
      ...current().accounts.quotas,
      ...accounts.source.quotasOf(account),
    }),
    refused: (place, quota) => observation.quotaReached(place, quota),
    isMaintained: (segment) => maintenance.current(segment) !== null,
  });
  const answerBudget = createAnswerBudget(() => current().limits.answerBytes);
  const seen = observeGateway({
    traffic: () => insurers.traffic(),
    answerBytes: () => answerBudget.held(),
    countUnknown: () => submissions.countUnknown(),
    storeState: () => submissions.storeState(),
    clockFaults: () => submissions.clockFaults(),
    now: () => time.now(),
    configuration: later.reloading,
    expiries: () => [...newest().expiries, ...accounts.source.expiries()],
    processMetrics,
    usage,
    maintenance,
  });
  const { observation } = seen;
  const found = countDifferences(() => time.now());
  const recording = createRecording(time);
  const drift = startDriftWatch({
    samplePercent: () => current().drift.samplePercent,
    time,
    differs(observed, difference) {
      observation.drifted(observed, difference);
      if (found.count(observed, difference))
        logger.warn(
          {
            segment: observed.segment,
            endpoint: observed.endpoint,
            fields: [difference.pointer || "/*"],
            difference: difference.kind,
            breaking: difference.breaking,
          },
          "an insurer's answer differs from its declaration",
        );
    },
  });
  const issuers = createIssuers({ time, logger, observation });
  const encryption = createEncryption(keys);
  const accounts = openAccounts({
    settings: () => newest(),
    environment,
    encryption,
    time,
    issuers: () => generations.current().issuers.all.map(({ issuer }) => issuer),
    changed: (segment, id) => insurers.accountChanged(segment, id),
    logger,
  });
  const insurers = await connectInsurers(configuration, installed, {
    observation,
    logger,
    received(observed, endpoint, answer) {
      drift.received(observed, endpoint, answer);
      recording.received(observed, endpoint, answer);
    },
    now: () => time.elapsed(),
    recovered: (segment, account) => submissions.insurerRecovered(segment, account),
    readAccount: accounts.source.read,
    answerBudget,
    openTransport: start.openTransport,
    maintainedMs: (segment) => (maintenance.current(segment)?.to ?? time.now()) - time.now(),
  });
  closing.push(() => insurers.close());
  const { listening } = later;
  const reference = await openReference({
    configuration,
    installed,
    insurers,
    listening,
    logger,
  });
  const statuses = createProviderStatuses({
    ...seen,
    maintenance,
    days: usage.days,
    attempts: () => usage.attempts(),
  });
  const { basePath } = configuration.listen;
  const own = ownRoutes(basePath, { hasScenarios: insurers.scenarios !== null });
  const providerRoutes = createProviderRoutes(installed, basePath);
  const lasting = { issuers, insurers, reference, providerRoutes, ownRoutes: own };
  const generations = createGenerations(await serveWith(settings, lasting));
  newest = generations.current;
  closing.push(() => generations.close());
  const shedding = startShedding(
    () => current().overload,
    time,
    () => observation.shed(),
  );
  closing.push(() => shedding.stop());
  const submissions: Submissions = await openSubmissions({
    ...start,
    configuration,
    openStore: () => start.openStore(configuration),
    segments: submissionSegments(generations.current().routes),
    async withRoutes(work) {
      const { release, value } = generations.take();
      return work(value.routes).finally(release);
    },
    queriesPerSecond: () => current().submissions.queriesPerSecond,
    encryption,
    tenants: accounts.tenants,
    accounts: accounts.source,
    maintenance,
    observation,
    usage,
  });
  closing.push(() => submissions.stop());
  closing.push(() => drift.stop());
  return {
    own: { submissions, providers: statuses, scenarios: insurers.scenarios },
    seen,
    drift: found,
    recording,
    insurers,
    generations,
    serveWith: (next) => serveWith(next, lasting),
    fetchKeys: () => issuers.fetchKeys(),
    referenceFragment: reference?.fragment ?? null,
    shedding,
    submissions,
    accounts,
    usage,
  };
}
