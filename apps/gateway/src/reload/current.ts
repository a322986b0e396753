import type { Configuration } from "../configuration/load.ts";
import type { Settings } from "../configuration/settings.ts";

/** The state of a process's configuration. */
export interface ReloadState {
  /** True if the settings in use are those of the current files. */
  readonly isNewest: boolean;
  /** When settings were last applied, at a start or a reload, in milliseconds since 1970. */
  readonly appliedAt: number;
}

/** The settings in use. Every part that a reload can change reads its settings here. */
export type CurrentSettings = ReturnType<typeof createCurrentSettings>;

/**
 * Holds the settings, beginning with those of the start.
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
    /** Replaces the settings. */
    apply(next: Settings): void {
      settings = next;
      appliedAt = now();
    },
    /** Notes whether the settings are those of the current files. */
    noteNewest(newest: boolean): void {
      isNewest = newest;
    },
  };
}
