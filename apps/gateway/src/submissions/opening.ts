import type { Logger } from "../logging/logger.ts";
import { StoreUnavailableError } from "../store/store.ts";
import type { Time } from "../time.ts";
import { storeUnavailable } from "./store-unavailable.ts";
import type { Submissions } from "./submissions.ts";

/** What opening needs. */
export interface OpeningParts {
  /** Opens the store and starts the submissions. */
  readonly open: () => Promise<Submissions>;
  readonly time: Time;
  readonly logger: Logger;
}

const TRY_EVERY_MS = 1_000;

/**
 * Opens the submissions. A database that is away keeps nothing else from being served: until it is back, submissions
 * are refused, and it is tried again and again.
 * @throws what `open` throws, unless the store is away: what a person must mend is not waited for
 */
export async function openSubmissions({ logger, open, time }: OpeningParts): Promise<Submissions> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    logger.error(
      { detail: error.detail },
      "the store is away; submissions are refused until it is back",
    );
  }
  let opened: Submissions | undefined;
  const stopTrying = time.every(TRY_EVERY_MS, async () => {
    if (opened !== undefined) return;
    try {
      opened = await open();
      logger.info("the store is back; submissions are taken");
    } catch (error) {
      if (error instanceof StoreUnavailableError) return;
      const failure = error instanceof Error ? error.constructor.name : typeof error;
      logger.error({ failure }, "the store cannot be used; start the gateway again to see why");
    }
  });
  return {
    submit: (route, call) => (opened ?? refusing).submit(route, call),
    status: (caller, id) => (opened ?? refusing).status(caller, id),
    countUnknown: () => (opened ?? refusing).countUnknown(),
    async stop() {
      await stopTrying();
      await opened?.stop();
    },
  };
}

const away = async (): Promise<never> => {
  throw storeUnavailable();
};

const refusing: Pick<Submissions, "submit" | "status" | "countUnknown"> = {
  submit: away,
  status: away,
  countUnknown: away,
};
