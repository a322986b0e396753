import { isDeepStrictEqual } from "node:util";
import type { Endpoint } from "@insurance-gateway/core/contract";
import type { ConnectionTransport } from "@insurance-gateway/core/transport";
import { accountRemovedRefusal } from "../accounts/tenants.ts";
import { type AccountContent, defaultAccount, type ReadAccount } from "../configuration/account.ts";
import type { InstalledProvider } from "../configuration/providers.ts";
import type { Observation, ObservedEndpoint, ProviderTraffic } from "../events.ts";
import type { Logger } from "../operator/logging/logger.ts";
import { createSharedResources } from "../shared.ts";
import { type InsurerGeneration, openAccount } from "./account/open-account.ts";
import { createOpenAccounts } from "./account/open-accounts.ts";
import { freshMsOf } from "./answers/lookup-sharing.ts";
import { createReadAnswer } from "./answers/read-answer.ts";
import type { Call } from "./call.ts";
import type { DriftWatch } from "./drift/watch.ts";
import type { AnswerBudget } from "./exchange/answer-budget.ts";
import { failureRowsOf } from "./failure-rows.ts";
import { type InsurerAccess, transportIdentity } from "./insurer-access.ts";
import { createLookupResponses } from "./lookups/lookup-responses.ts";
import { createBreaker, neverOpeningBreaker } from "./resilience/breaker.ts";
import { createBulkhead } from "./resilience/bulkhead.ts";
import { createRetries } from "./resilience/retries.ts";
import { callInsurer } from "./steps.ts";

/** One insurer with the settings with which it was opened. */
export interface Upstream {
  /** True for the simulated insurer of the provider's package. */
  readonly sandbox: boolean;
  /** Sends a call and reads its answer, or returns an answer from memory. */
  readonly call: Call;
  /** Reports whether a search by a submission's id finds only items that this submission created. */
  findsByReference(search: Endpoint): boolean;
  /** Waits for running calls, then closes the parts that no other upstream of the insurer uses. */
  close(): Promise<void>;
}

/** One insurer through every change of its settings; it keeps its counts and its cache. */
export interface Insurer {
  /**
   * Applies settings to the requests that arrive from now on; earlier upstreams keep their settings.
   * @param contents - the content of the accounts in the configuration file, by id
   */
  open(
    installed: InstalledProvider,
    insurer: InsurerAccess,
    contents: InsurerGeneration["contents"],
  ): Upstream;
  /** Applies the changed content of a stored account, or its removal, to calls that begin from now on. */
  accountChanged(id: string): void;
  /** Drops the cached lookup answers; returns their number. */
  dropLookups(): number;
  /** Returns the current traffic. */
  traffic(): ProviderTraffic;
  /** Returns the number of attempts that have a connection or wait for one. */
  connections(): number;
  /** Waits for running calls, then closes the parts that are still open. */
  close(): Promise<void>;
}

/** The parts for an insurer's calls. */
export interface InsurerParts {
  readonly observation: Observation;
  readonly logger: Pick<Logger, "error" | "info" | "warn">;
  /** Called with each successful answer of the insurer. */
  readonly received: DriftWatch["received"];
  /** Returns milliseconds since an arbitrary instant; no correction of the clock changes them. */
  readonly now: () => number;
  /**
   * Called when the insurer of a segment answers again, or accepts the credentials of one account again.
   * @param account - null for all accounts
   */
  readonly recovered: (segment: string, account: string | null) => void;
  /** Reads the content of an account other than the default account. */
  readonly readAccount: ReadAccount;
  /** Returns the remaining time of the maintenance of a segment's insurer, in milliseconds; 0 without maintenance. */
  readonly maintainedMs: (segment: string) => number;
  readonly answerBudget: Pick<AnswerBudget, "roomOf">;
  /** Opens the transport to an insurer. `unaskedBytes` is called after bytes that belong to no request. */
  readonly openTransport: (insurer: InsurerAccess, unaskedBytes: () => void) => ConnectionTransport;
}

/**
 * Creates an insurer with a separate breaker, bulkhead and lookup cache, so that its failures do not affect other
 * insurers. Each account of the insurer has separate credentials, retries and gate. A sandbox has no breaker: its
 * failures are intended, and the trial of one caller must not affect another caller.
 */
export function createInsurer(
  installed: Pick<InstalledProvider, "provider" | "segment" | "settings">,
  sandbox: boolean,
  parts: InsurerParts,
): Insurer {
  const { answerBudget, logger, maintainedMs, now, observation, readAccount, received, recovered } =
    parts;
  const { provider, segment } = installed;
  let { settings } = installed;
  let newest: InsurerGeneration | null = null;
  const breaker = sandbox
    ? neverOpeningBreaker
    : createBreaker(
        () => settings.breaker,
        now,
        () => recovered(segment, null),
      );
  const bulkhead = createBulkhead(() => settings.bulkhead);
  const responses = createLookupResponses(() => settings.answers.staleHours, now);
  const observed = observedBy(installed);
  const transports = createSharedResources<ConnectionTransport>();
  const accounts = createOpenAccounts(async (id) =>
    openAccount({
      ...parts,
      id,
      content: await contentOf(id, segment, readAccount),
      provider,
      segment,
      retries: createRetries(() => settings.retries),
      newest() {
        if (newest === null) throw new TypeError("The insurer has not been opened");
        return newest;
      },
    }),
  );

  const shared = {
    accounts,
    breaker,
    bulkhead,
    freshMs: (endpoint: Endpoint) => freshMsOf(endpoint, settings.answers),
    isRefused: (account: string) =>
      accounts.all().some((one) => one.id === account && one.isRefused()),
    logger,
    maintainedMs: () => maintainedMs(segment),
    now,
    observation,
    observed,
    provider,
    responses,
    room: answerBudget.roomOf(segment),
  };

  function unaskedBytes(): void {
    observation.bytesUnasked({ segment });
    logger.warn({ provider: provider.id, segment }, "an insurer sent bytes without a request");
  }

  /** Makes open accounts use a generation at once, so that tokens that it still needs are not fetched again. */
  function takeOver(generation: InsurerGeneration): void {
    const before = newest;
    newest = generation;
    const { contents, insurer } = generation;
    // Stored accounts contain the provider's settings, so that they are read again.
    if (before !== null && !isDeepStrictEqual(before.insurer.settings, insurer.settings))
      accounts.forgetIf((id) => id !== defaultAccount && !contents.has(id));
    for (const account of accounts.all()) account.with(generation);
  }

  /** Drops answers that may depend on changed settings, such as an agency's code, or on changed credentials. */
  function dropOutdated(
    before: InsurerGeneration | null,
    { contents, insurer }: Pick<InsurerGeneration, "contents" | "insurer">,
  ): void {
    if (before === null) return;
    if (!isDeepStrictEqual(before.insurer.settings, insurer.settings)) responses.drop();
    else
      responses.dropOf((id) =>
        id === defaultAccount
          ? !isDeepStrictEqual(before.insurer.credentials, insurer.credentials)
          : !isDeepStrictEqual(before.contents.get(id), contents.get(id)),
      );
  }

  return {
    open(next, insurer, contents) {
      settings = next.settings;
      dropOutdated(newest, { contents, insurer });
      const transport = transports.acquireItem(transportIdentity(insurer), () =>
        parts.openTransport(insurer, unaskedBytes),
      );
      const { answers: limits, compare } = insurer;
      const readAnswer = createReadAnswer({
        limits,
        compare,
        sandbox,
        rowsOf: (endpoint) => failureRowsOf(next, endpoint),
        unmatched: (endpoint, answer) => observation.answerUnmatched(observed(endpoint), answer),
        received: (endpoint, answer) => received(observed(endpoint), endpoint, answer),
      });
      const generation = { insurer, contents, transport: transport.item, readAnswer };
      takeOver(generation);
      return {
        sandbox,
        call: callInsurer({ ...shared, generation }),
        findsByReference: (search) => insurer.adapter.findsByReference?.(search) ?? false,
        async close() {
          const left = accounts.all().map((one) => one.leave(generation));
          await Promise.all([transport.release(), ...left]);
        },
      };
    },
    accountChanged(id) {
      responses.dropOf((owner) => owner === id);
      accounts.forget(id);
    },
    dropLookups: () => responses.drop(),
    traffic() {
      const all = accounts.all();
      const credentials = all.flatMap((one) => one.credentials() ?? []);
      const ages = credentials.flatMap((one) => one.ageMs() ?? []);
      return {
        segment,
        provider: provider.id,
        sandbox,
        breaker: breaker.state(),
        running: bulkhead.running(),
        queued: bulkhead.queued(),
        awaitingToken: credentials.reduce((sum, one) => sum + one.waiting(), 0),
        tokenAgeMs: ages.length === 0 ? null : Math.max(...ages),
        refusedAccounts: all.filter((one) => one.isRefused()).map(({ id }) => id),
      };
    },
    connections: () =>
      [...transports.all(), ...accounts.all()].reduce((sum, one) => sum + one.underWay(), 0),
    close: () => accounts.close(),
  };
}

/** Reads the content of an account; null for the default account, which has the provider's content. */
async function contentOf(
  id: string,
  segment: string,
  readAccount: ReadAccount,
): Promise<AccountContent | null> {
  if (id === defaultAccount) return null;
  const content = await readAccount(segment, id);
  if (content === null) throw accountRemovedRefusal();
  return content;
}

/** Returns the name of each endpoint for the operator's tools. */
function observedBy({
  provider,
  segment,
}: Pick<InstalledProvider, "provider" | "segment">): (endpoint: Endpoint) => ObservedEndpoint {
  const known = new Map<Endpoint, ObservedEndpoint>(
    Object.entries(provider.endpoints).map(([name, endpoint]) => [
      endpoint,
      { segment, endpoint: name, kind: endpoint.kind },
    ]),
  );
  return (endpoint) => known.get(endpoint) ?? { segment, endpoint: "unknown", kind: endpoint.kind };
}
