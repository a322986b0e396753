import { contentStateUnknown, keyStateUnknown } from "@insurance-gateway/core/runtime";
import { defaultAccount } from "../configuration/account.ts";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import { openStoreSecret } from "../store/encryption.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type { SubmissionStore } from "../store/store.ts";
import { storeUnavailableRefusal } from "../store/unavailable.ts";
import { createDigests } from "./identity.ts";
import { readStoreClock, reportClockAtStart } from "./store-clock.ts";
import { type Submissions, type SubmissionsParts, startSubmissions } from "./submissions.ts";

const REOPEN_INTERVAL_MS = 1_000;

/**
 * Opens the store and starts the gateway's submissions. While the store cannot be reached, the gateway refuses
 * submissions, serves everything else, and tries again to open the store.
 * @throws StoreRefusedError or ConfigurationError for a fault that an operator must correct
 */
export async function openSubmissions(parts: SubmissionsParts): Promise<Submissions> {
  const { logger, time } = parts;
  let opened: Submissions | undefined;
  let stopTrying = async (): Promise<void> => {};
  try {
    opened = await open(parts);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    logger.error(
      { detail: error.detail },
      "the store cannot be reached; submissions are refused until the store is back",
    );
    stopTrying = time.every(REOPEN_INTERVAL_MS, async () => {
      opened ??= await retryOpening(parts);
    });
  }
  return {
    submit: (route, call) => (opened ?? refusingMethods).submit(route, call),
    status: (caller, id) => (opened ?? refusingMethods).status(caller, id),
    statusByKey: (caller, asked) => (opened ?? refusingMethods).statusByKey(caller, asked),
    refused: (refusal, request) => (opened ?? refusingMethods).refused(refusal, request),
    pseudonym: (caller) => opened?.pseudonym(caller) ?? null,
    insurerRecovered: (segment, account) => opened?.insurerRecovered(segment, account),
    countUnknown: () => (opened ?? refusingMethods).countUnknown(),
    faultsWithout: async (segments) => (await opened?.faultsWithout(segments)) ?? [],
    storeState: () => opened?.storeState() ?? "unavailable",
    clockFaults: () => opened?.clockFaults() ?? null,
    async stop() {
      await stopTrying();
      await opened?.stop();
    },
  };
}

async function retryOpening(parts: SubmissionsParts): Promise<Submissions | undefined> {
  try {
    const opened = await open(parts);
    parts.logger.info("the store can be reached again; submissions are accepted");
    return opened;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    const failure = error instanceof Error ? error.constructor.name : typeof error;
    parts.logger.error(
      { failure },
      "the store cannot be used; a restart of the gateway prints the reason",
    );
    return undefined;
  }
}

/** Methods of `Submissions` that refuse all calls until the store is open. */
const refusingMethods: Pick<
  Submissions,
  "submit" | "status" | "statusByKey" | "refused" | "countUnknown"
> = {
  async submit({ endpoint }, { key }) {
    throw key === null
      ? contentStateUnknown(storeUnavailableRefusal(), endpoint)
      : storeUnavailableRefusal();
  },
  async status() {
    throw storeUnavailableRefusal();
  },
  async statusByKey() {
    throw storeUnavailableRefusal();
  },
  refused: async (refusal) => keyStateUnknown(refusal),
  async countUnknown() {
    throw storeUnavailableRefusal();
  },
};

async function open(parts: SubmissionsParts): Promise<Submissions> {
  const { configuration, encryption, logger, time } = parts;
  const store = await parts.openStore();
  try {
    const secret = await openStoreSecret(store, encryption, configuration.source);
    await parts.accounts.opened(store, encryption, true);
    await refuseWithoutAccounts(parts, store);
    const clock = await readStoreClock(store, time);
    reportClockAtStart(clock, logger);
    await clock.count();
    // If no other process can be sending submissions, the stored submissions in flight are of a process that has ended.
    if (!store.shared) await store.expireLeases(Number.MAX_SAFE_INTEGER, clock.now());
    return await startSubmissions(parts, store, createDigests(secret), clock);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Refuses a configuration that serves a segment without the account of an open submission, because only this account
 * can query the insurer. For a segment that is not served, the gateway only logs the open submissions.
 */
async function refuseWithoutAccounts(
  { configuration, accounts, segments }: SubmissionsParts,
  store: SubmissionStore,
): Promise<void> {
  const missing = (await store.openAccounts()).filter(
    ({ account, segment }) =>
      segments.includes(segment) && account !== defaultAccount && !accounts.has(account),
  );
  if (missing.length > 0)
    throw new ConfigurationError(
      configuration.source,
      missing.map(
        ({ account, segment }) =>
          `accounts.list: must have the account "${account}" for ${segment}, which the store does not have, until its open submissions are concluded`,
      ),
    );
}
