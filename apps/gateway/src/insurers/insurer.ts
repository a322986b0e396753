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
import { createAccountPool } from "./account/open-accounts.ts";
import { freshMsOf } from "./answers/lookup-sharing.ts";
import { createReadAnswer } from "./answers/read-answer.ts";
import type { Call } from "./call.ts";
import type { DriftWatch } from "./drift/watch.ts";
import type { AnswerBudget } from "./exchange/answer-budget.ts";
import { failureRowsOf } from "./failure-rows.ts";
import { type InsurerAccess, transportDigestOf } from "./insurer-access.ts";
import { createLookupResponses } from "./lookups/lookup-responses.ts";
import { createBreaker, neverOpeningBreaker } from "./resilience/breaker.ts";
import { createBulkhead } from "./resilience/bulkhead.ts";
import { createRetries } from "./resilience/retries.ts";
import { createInsurerCall } from "./steps.ts";

/** One insurer with one state of its settings; a reload opens a new upstream. */
export interface Upstream {
  /** True if the insurer is simulated by the sandbox. */
  readonly sandbox: boolean;
  /** Makes a call to the insurer, or answers from memory. */
  readonly call: Call;
  /** Reports whether a search for a submission's id finds only the item that this submission created. */
  findsByReference(search: Endpoint): boolean;
  /** Waits for running calls, then closes the connections that no other upstream of the insurer uses. */
  close(): Promise<void>;
}

/** One insurer, which keeps its counts and its cached answers when its settings change. */
export interface Insurer {
  /**
   * Opens an upstream, the insurer with its current settings, for later requests; earlier upstreams keep their
   * settings.
   * @param contents - credentials and settings of the accounts in the configuration file, by account id
   */
  open(
    installed: InstalledProvider,
    insurer: InsurerAccess,
    contents: InsurerGeneration["contents"],
  ): Upstream;
  /** Applies the change or removal of a stored account to calls that begin from now on. */
  accountChanged(id: string): void;
  /** Drops the cached lookup answers; returns their number. */
  dropLookups(): number;
  /** Returns the current numbers of calls, and the state of the breaker. */
  traffic(): ProviderTraffic;
  /** Returns the number of attempts that use a connection or wait for one. */
  connections(): number;
  /** Waits for running calls, then closes everything that is still open. */
  close(): Promise<void>;
}

/** The parts that all insurers need for their calls. */
export interface InsurerParts {
  readonly observation: Observation;
  readonly logger: Pick<Logger, "error" | "info" | "warn">;
  /** Called with each successful answer of the insurer. */
  readonly received: DriftWatch["received"];
  /** Returns milliseconds since an arbitrary instant; no correction of the clock changes them. */
  readonly now: () => number;
  /**
   * Called when a segment's insurer works again, or when it accepts the credentials of an account again.
   * @param account - null for all accounts
   */
  readonly recovered: (segment: string, account: string | null) => void;
  /** Reads the credentials and settings of an account from the store. */
  readonly readAccount: ReadAccount;
  /** Returns the remaining time of the maintenance of a segment's insurer, in milliseconds; 0 without maintenance. */
  readonly maintainedMs: (segment: string) => number;
  readonly answerBudget: Pick<AnswerBudget, "roomOf">;
  /** Opens the transport to an insurer. `unaskedBytes` is called after bytes that answer no request. */
  readonly openTransport: (insurer: InsurerAccess, unaskedBytes: () => void) => ConnectionTransport;
}

/**
 * Creates an insurer. Its breaker, bulkhead and lookup cache are not shared, so that its failures do not affect other
 * insurers. Each account of the insurer has separate credentials, retries and gate. A sandbox has no breaker: its
 * failures are intended, and the test of one caller must not affect another caller.
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
  const observed = createEndpointNames(installed);
  const transports = createSharedResources<ConnectionTransport>();
  const accounts = createAccountPool(async (id) =>
    openAccount({
      ...parts,
      id,
      content: await accountContentOf(id, segment, readAccount),
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

  /** Applies new settings to the open accounts at once, so that these accounts keep their current tokens. */
  function takeOver(generation: InsurerGeneration): void {
    const before = newest;
    newest = generation;
    const { contents, insurer } = generation;
    // The content of a stored account includes the provider's settings, so a change of these settings requires a new
    // read.
    if (before !== null && !isDeepStrictEqual(before.insurer.settings, insurer.settings))
      accounts.forgetIf((id) => id !== defaultAccount && !contents.has(id));
    for (const account of accounts.all()) account.with(generation);
  }

  /** Drops cached answers that changed settings (such as an agency's code) or changed credentials may affect. */
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
      const transport = transports.acquireItem(transportDigestOf(insurer), () =>
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
        call: createInsurerCall({ ...shared, generation }),
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

/**
 * Reads the credentials and settings of an account; null for the default account, which uses the provider's credentials
 * and settings.
 */
async function accountContentOf(
  id: string,
  segment: string,
  readAccount: ReadAccount,
): Promise<AccountContent | null> {
  if (id === defaultAccount) return null;
  const content = await readAccount(segment, id);
  if (content === null) throw accountRemovedRefusal();
  return content;
}

/** Creates the function that returns the names of an endpoint for events: its segment, name and kind. */
function createEndpointNames({
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
