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
import { createBreaker, neverOpens } from "./resilience/breaker.ts";
import { createBulkhead } from "./resilience/bulkhead.ts";
import { createRetries } from "./resilience/retries.ts";
import { callInsurer } from "./steps.ts";

/** One insurer behind the gateway, with the settings that it was opened with. */
export interface Upstream {
  /** Whether the insurer is the package's own simulation. */
  readonly sandbox: boolean;
  /** Sends a call and reads its answer, or returns one from memory. */
  readonly call: Call;
  /** Whether a search with the id of a submission finds only what that submission created. */
  findsByReference(search: Endpoint): boolean;
  /** Closes what no other upstream of the insurer uses, when what is under way has ended. */
  close(): Promise<void>;
}

/** One insurer through every change of its settings, which keeps its counts and its cache. */
export interface Insurer {
  /**
   * Takes over settings for the requests that arrive from now on; the upstreams before go on as they are.
   * @param contents - what the accounts of the configuration file use, by id
   */
  open(
    installed: InstalledProvider,
    insurer: InsurerAccess,
    contents: InsurerGeneration["contents"],
  ): Upstream;
  /** An account of the store has other credentials or settings, or was removed: calls that begin from now on use what it has now. */
  accountChanged(id: string): void;
  /** Forgets the answers of lookups that are in memory; returns how many there were. */
  dropLookups(): number;
  /** Returns its traffic at this moment. */
  traffic(): ProviderTraffic;
  /** How many attempts have a connection or wait for one. */
  connections(): number;
  /** Waits for what is under way, then closes what is still open. */
  close(): Promise<void>;
}

/** The parts for an insurer's calls. */
export interface InsurerParts {
  readonly observation: Observation;
  readonly logger: Pick<Logger, "error" | "info" | "warn">;
  /** Called with each successful answer of the insurer. */
  readonly received: DriftWatch["received"];
  /** Milliseconds since some instant, which no correction of the clock changes. */
  readonly now: () => number;
  /**
   * Called when the insurer of a segment answers again, or takes the credentials of one account again.
   * @param account - null for all of them
   */
  readonly recovered: (segment: string, account: string | null) => void;
  /** Reads what an account uses, other than the default one. */
  readonly readAccount: ReadAccount;
  /** How long the insurer of a segment maintains its service from now on, in milliseconds; 0 when it does not. */
  readonly maintainedMs: (segment: string) => number;
  readonly answerBudget: Pick<AnswerBudget, "roomOf">;
  /** Opens what carries requests to an insurer. `unaskedBytes` is called after bytes that no request asked for. */
  readonly openTransport: (insurer: InsurerAccess, unaskedBytes: () => void) => ConnectionTransport;
}

/**
 * Puts an insurer behind a breaker, a bulkhead and stale responses of its own, so that its failures stay its own. Each
 * account to it has credentials, retries and a gate of its own. A sandbox has no breaker: its failures are asked for,
 * and one caller's trial must not be another's.
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
    ? neverOpens
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

  /** Has accounts take over a generation at once, so that the tokens that it needs too are not fetched again. */
  function takeOver(generation: InsurerGeneration): void {
    const before = newest;
    newest = generation;
    const { contents, insurer } = generation;
    // Those of the store have the provider's settings in their own; they are read again.
    if (before !== null && !isDeepStrictEqual(before.insurer.settings, insurer.settings))
      accounts.forgetIf((id) => id !== defaultAccount && !contents.has(id));
    for (const account of accounts.all()) account.with(generation);
  }

  /** Answers may depend on the settings, such as on an agency's code, and those of one account on its credentials. */
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

/** Reads what an account uses; null for the default one, which uses what the provider has. */
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

/** Gives each endpoint's name to the operator's tools. */
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
