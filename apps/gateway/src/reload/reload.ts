import { ConfigurationError } from "../configuration/configuration-error.ts";
import { type FileDigests, type FileWatch, noteFiles, watchFiles } from "../configuration/files.ts";
import type { ReadSettings, Settings } from "../configuration/settings.ts";
import type { Observation } from "../events.ts";
import { failureOf } from "../operator/logging/failure.ts";
import type { Logger } from "../operator/logging/logger.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type { Time } from "../time.ts";
import type { CurrentSettings } from "./current.ts";
import { changedKeys, changedSecrets, ruleOf } from "./keys.ts";

/** The result of a reload. A refused one changes nothing. */
export type ReloadResult =
  | { readonly result: "applied"; readonly changed: readonly string[] }
  | { readonly result: "unchanged" }
  | { readonly result: "refused"; readonly faults: readonly string[] };

/** Reloads the configuration, when somebody asks for it or when its files change. */
export type Reloading = ReturnType<typeof startReloading>;

/** The parts of reloads. */
export interface ReloadingParts {
  readonly readSettings: ReadSettings;
  /** The files that the settings of the start were read from. */
  readonly started: FileDigests;
  readonly current: CurrentSettings;
  /** Serves with other settings from now on; where it fails, nothing is changed. */
  readonly apply: (settings: Settings) => Promise<void>;
  /** Fetches the issuers' keys, so that one that was withdrawn counts no longer when somebody has asked for a reload. */
  readonly fetchKeys: () => Promise<void>;
  /** The faults of a configuration without some segments, which may have submissions without an outcome. */
  readonly faultsWithout: (segments: readonly string[]) => Promise<readonly string[]>;
  readonly time: Time;
  readonly logger: Logger;
  readonly observation: Pick<Observation, "reloaded">;
}

/** The result of one reading of all files: settings, or every fault. */
export interface Reading {
  readonly digests: FileDigests;
  readonly settings?: Settings;
  readonly faults?: readonly string[];
}

/** A reading that counts if its files are still the same after `SETTLED_MS`. */
interface Candidate extends Reading {
  readonly files: FileWatch;
  /** By `Time.elapsed()`. */
  readonly readAt: number;
}

/** How often the files are compared with what was read last, in milliseconds. */
const COMPARE_EVERY_MS = 60_000;
/** How often a reading that waits to count is continued, in milliseconds. */
const LOOK_EVERY_MS = 500;
/** Files count when they have been read equal twice, so far apart, in milliseconds: one that is being written is not taken. */
const SETTLED_MS = 1_000;

/**
 * Starts watching the files of the configuration, the secrets among them. They are compared by content, so that it does not
 * matter how they are replaced: written again, renamed, or behind a link that leads elsewhere, as Kubernetes does.
 */
export function startReloading(parts: ReloadingParts) {
  const { apply, current, faultsWithout, fetchKeys, logger, observation, readSettings, time } =
    parts;
  let appliedDigests = parts.started;
  /** The files that were concluded last, whether applied or refused: they are not tried again until one changes. */
  let concluded = watchFiles(appliedDigests);
  /** By `Time.elapsed()`. */
  let comparedAt = time.elapsed();
  let candidate: Candidate | null = null;
  let waiting: ((result: ReloadResult) => void)[] = [];

  async function read(): Promise<Candidate> {
    const files = noteFiles();
    const { digests } = files;
    const noted = { digests, files: watchFiles(digests), readAt: time.elapsed() };
    try {
      return { ...noted, settings: await readSettings(files) };
    } catch (error) {
      if (error instanceof ConfigurationError) return { ...noted, faults: error.faults };
      logger.error({ failure: failureOf(error) }, "the configuration cannot be read");
      return {
        ...noted,
        faults: ["the configuration cannot be read; the log contains the place of the error"],
      };
    }
  }

  async function conclude(reading: Reading): Promise<ReloadResult> {
    const { digests, settings: next } = reading;
    concluded = watchFiles(digests);
    if (next === undefined) return refuse(reading.faults ?? []);
    const { configuration } = next;
    const changed = [
      ...changedKeys(current.configuration(), configuration),
      ...changedSecrets(configuration, appliedDigests, digests),
    ];
    const fixed = changed.filter((key) => ruleOf(key).counts === "in a new process");
    try {
      if (fixed.length > 0) {
        const faults = fixed.map((key) => `${key}: needs a new process; ${ruleOf(key).why ?? ""}`);
        return refuse([...faults, ...(await faultsOfMissing(next))]);
      }
      if (changed.length > 0) await apply(next);
    } catch (error) {
      logger.error({ failure: failureOf(error) }, "the configuration cannot be used");
      return refuse(["the configuration cannot be used; the log contains the place of the error"]);
    }
    appliedDigests = digests;
    current.noteNewest(true);
    if (changed.length === 0) return { result: "unchanged" };
    logger.info({ keys: changed }, "the configuration was reloaded");
    return { result: "applied", changed };
  }

  /** A process must warn of a missing segment with open submissions before it is replaced. */
  async function faultsOfMissing({ installed }: Settings): Promise<readonly string[]> {
    const left = new Set(installed.map(({ segment }) => segment));
    const before = current.settings().installed.map(({ segment }) => segment);
    try {
      return await faultsWithout(before.filter((segment) => !left.has(segment)));
    } catch (error) {
      if (error instanceof StoreUnavailableError) return [];
      throw error;
    }
  }

  function refuse(faults: readonly string[]): ReloadResult {
    logger.error({ faults }, "the configuration was not reloaded; the previous one stays in use");
    return { result: "refused", faults };
  }

  async function answer(asked: typeof waiting, result: ReloadResult): Promise<void> {
    if (asked.length > 0 && result.result !== "refused") await fetchKeys();
    for (const resolve of asked) resolve(result);
  }

  /** Reports whether the files are as they were concluded, or were compared less than a minute ago. */
  async function areAsConcluded(): Promise<boolean> {
    if (time.elapsed() - comparedAt < COMPARE_EVERY_MS) return true;
    comparedAt = time.elapsed();
    return concluded.areUnchanged();
  }

  async function look(): Promise<void> {
    // Later requests are answered after the next reading.
    const asked = waiting;
    const isDue = asked.length > 0 || candidate !== null || !(await areAsConcluded());
    if (!isDue) return;
    if (candidate === null || !(await candidate.files.areUnchanged())) {
      candidate = await read();
      current.noteNewest(false);
      return;
    }
    if (time.elapsed() - candidate.readAt < SETTLED_MS) return;
    const settled = candidate;
    candidate = null;
    waiting = waiting.filter((one) => !asked.includes(one));
    const result = await conclude(settled);
    observation.reloaded(result.result);
    void answer(asked, result);
  }

  /** One at a time: what is asked for while one is under way waits for the next. */
  let looking: Promise<void> = Promise.resolve();
  const lookOnce = (): Promise<void> => {
    looking = looking.then(look).catch((error: unknown) => {
      // The next look may succeed.
      logger.error({ failure: failureOf(error) }, "the configuration cannot be read");
    });
    return looking;
  };
  const stopLooking = time.every(LOOK_EVERY_MS, lookOnce);
  return {
    /** Reads the configuration and takes it over, whether or not a file has changed. */
    reload: (): Promise<ReloadResult> => {
      const { promise, resolve } = Promise.withResolvers<ReloadResult>();
      waiting = [...waiting, resolve];
      void lookOnce();
      return promise;
    },
    stop: async (): Promise<void> => {
      await stopLooking();
      await looking;
    },
  };
}
