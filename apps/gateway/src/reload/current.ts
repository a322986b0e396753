import type { Configuration } from "../configuration/load.ts";
import type { Settings } from "../configuration/settings.ts";

/** The state of the configuration that a process uses. */
export interface ReloadState {
  /** True if the process uses the current content of the files. */
  readonly isNewest: boolean;
  /** The time of the start or of the last applied reload, in milliseconds since 1970. */
  readonly appliedAt: number;
}

/**
 * The settings that the process uses. The gateway's parts read the settings here, and a reload replaces the settings.
 */
export type CurrentSettings = ReturnType<typeof createCurrentSettings>;

/**
 * Creates the current settings from the settings of the gateway's start.
 * @param now - returns the milliseconds since 1970
 */
export function createCurrentSettings(started: Settings, now: () => number) {
  let settings = started;
  let isNewest = true;
  let appliedAt = now();
  return {
    settings: (): Settings => settings,
    configuration: (): Configuration => settings.configuration,
    state: (): ReloadState => ({ isNewest, appliedAt }),
    /** Replaces the current settings. */
    apply(next: Settings): void {
      settings = next;
      appliedAt = now();
    },
    /** Records whether the process uses the current content of the files. */
    noteNewest(newest: boolean): void {
      isNewest = newest;
    },
  };
}
