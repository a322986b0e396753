import { ConfigurationError } from "../configuration/configuration-error.ts";
import {
  createRecordingReader,
  type FileDigests,
  type FileWatch,
  watchFiles,
} from "../configuration/files.ts";
import type { ReadSettings, Settings } from "../configuration/settings.ts";
import type { Observation } from "../events.ts";
import { failureOf } from "../operator/logging/failure.ts";
import type { Logger } from "../operator/logging/logger.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type { Time } from "../time.ts";
import type { CurrentSettings } from "./current.ts";
import { changedKeys, changedSecrets, ruleOf } from "./keys.ts";

/** The result of a reload. A refused reload changes no setting. */
export type ReloadResult =
  | { readonly result: "applied"; readonly changed: readonly string[] }
  | { readonly result: "unchanged" }
  | { readonly result: "refused"; readonly faults: readonly string[] };

/** Reloads the configuration on request, and after its files have changed. */
export type Reloading = ReturnType<typeof startReloading>;

/** Arguments of `startReloading`. */
export interface ReloadingParts {
  readonly readSettings: ReadSettings;
  /** The digests of the files from which the settings of the start were read. */
  readonly started: FileDigests;
  readonly current: CurrentSettings;
  /** Applies new settings. If the new settings cannot be applied, the previous settings stay in use. */
  readonly apply: (settings: Settings) => Promise<void>;
  /** Fetches the issuers' keys, so that a requested reload ends the acceptance of withdrawn keys. */
  readonly fetchKeys: () => Promise<void>;
  /** Returns a fault for each of the removed segments that has submissions with an unknown outcome. */
  readonly faultsWithout: (segments: readonly string[]) => Promise<readonly string[]>;
  readonly time: Time;
  readonly logger: Logger;
  readonly observation: Pick<Observation, "reloaded">;
}

/** The settings or the faults after all files were read. */
export interface SettingsReading {
  readonly digests: FileDigests;
  readonly settings?: Settings;
  readonly faults?: readonly string[];
}

/** Settings that are applied if the files are still unchanged after `UNCHANGED_FOR_MS`. */
interface Candidate extends SettingsReading {
  readonly files: FileWatch;
  /** The time when the files were read, by `Time.elapsed()`. */
  readonly readAt: number;
}

/** Interval in which the process looks for changed files, in milliseconds. */
const COMPARE_EVERY_MS = 60_000;
/** Interval in which the process continues requested and unfinished reloads, in milliseconds. */
const CHECK_EVERY_MS = 500;
/**
 * Time in milliseconds for which files must stay unchanged before the settings in the files are applied. A file may be
 * half written when the process reads it.
 */
const UNCHANGED_FOR_MS = 1_000;

/**
 * Starts to watch the files of the configuration and of its secrets. The watch compares contents, which shows every
 * kind of change: a rewritten file, a renamed file, or a changed symbolic link, as in Kubernetes.
 */
export function startReloading(parts: ReloadingParts) {
  const { apply, current, faultsWithout, fetchKeys, logger, observation, readSettings, time } =
    parts;
  let appliedDigests = parts.started;
  /**
   * The files of the last applied or refused reload. Unless it is requested, the next reload starts when one of these
   * files has changed.
   */
  let concluded = watchFiles(appliedDigests);
  /** The time of the last comparison of the files, by `Time.elapsed()`. */
  let comparedAt = time.elapsed();
  let candidate: Candidate | null = null;
  let waiting: ((result: ReloadResult) => void)[] = [];

  async function read(): Promise<Candidate> {
    const files = createRecordingReader();
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

  async function conclude(reading: SettingsReading): Promise<ReloadResult> {
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

  /**
   * Returns a fault for each segment that the new configuration lacks and that has submissions with an unknown outcome.
   * The operator must know such segments before new processes use this configuration.
   */
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

  /**
   * Returns true if the files are unchanged since the last applied or refused reload, or were compared less than a
   * minute ago.
   */
  async function areAsConcluded(): Promise<boolean> {
    if (time.elapsed() - comparedAt < COMPARE_EVERY_MS) return true;
    comparedAt = time.elapsed();
    return concluded.areUnchanged();
  }

  async function look(): Promise<void> {
    // A requested reload that arrives from now on gets the result of a later read of the files.
    const asked = waiting;
    const isDue = asked.length > 0 || candidate !== null || !(await areAsConcluded());
    if (!isDue) return;
    if (candidate === null || !(await candidate.files.areUnchanged())) {
      candidate = await read();
      current.noteNewest(false);
      return;
    }
    if (time.elapsed() - candidate.readAt < UNCHANGED_FOR_MS) return;
    const settled = candidate;
    candidate = null;
    waiting = waiting.filter((one) => !asked.includes(one));
    const result = await conclude(settled);
    observation.reloaded(result.result);
    void answer(asked, result);
  }

  /** The current check of files and requests. Only one check runs at a time. */
  let looking: Promise<void> = Promise.resolve();
  const lookOnce = (): Promise<void> => {
    looking = looking.then(look).catch((error: unknown) => {
      // The error of the check is only logged, because the next check may succeed.
      logger.error({ failure: failureOf(error) }, "the configuration cannot be read");
    });
    return looking;
  };
  const stopLooking = time.every(CHECK_EVERY_MS, lookOnce);
  return {
    /** Reads and applies the configuration, even if no file has changed. */
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
