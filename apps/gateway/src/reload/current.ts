import type { Configuration } from "../configuration/load.ts";
import type { Settings } from "../configuration/settings.ts";

/** Which configuration a process runs. */
export interface ReloadState {
  /** Whether it has taken over the files as they are. */
  readonly isNewest: boolean;
  /** When it last took over settings, the start included, in milliseconds since 1970. */
  readonly appliedAt: number;
}

/** The settings that count now. Every part that a reload changes reads them here. */
export type CurrentSettings = ReturnType<typeof createCurrentSettings>;

/**
 * Begins with the settings of the start.
 * @param now - milliseconds since 1970
 */
export function createCurrentSettings(started: Settings, now: () => number) {
  let settings = started;
  let isNewest = true;
  let appliedAt = now();
  return {
    settings: (): Settings => settings,
    configuration: (): Configuration => settings.configuration,
    state: (): ReloadState => ({ isNewest, appliedAt }),
    /** Lets other settings count from now on. */
    apply(next: Settings): void {
      settings = next;
      appliedAt = now();
    },
    /** Notes whether the settings are those of the files. */
    noteNewest(newest: boolean): void {
      isNewest = newest;
    },
  };
}
