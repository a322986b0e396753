import type { MaintenanceConfiguration } from "../../configuration/file.ts";

/** A time in which an insurer maintains its service. */
export interface MaintenanceWindow {
  /** Milliseconds since 1970; the end is not part of the window. */
  readonly from: number;
  readonly to: number;
  /** The operator's note. */
  readonly note: string | null;
}

/** The maintenance that the operator has declared for all insurers. */
export type MaintenancePlan = ReturnType<typeof createMaintenancePlan>;

/** A provider with the windows of its configuration. */
export interface MaintainedProvider {
  readonly segment: string;
  readonly settings: { readonly maintenance: readonly MaintenanceConfiguration[] };
}

/**
 * Reads the windows of the configuration.
 * @param providers - returns the providers with the settings as set now
 */
export function createMaintenancePlan(
  providers: () => readonly MaintainedProvider[],
  now: () => number,
) {
  let read: readonly MaintainedProvider[] = [];
  let windows: ReadonlyMap<string, readonly MaintenanceWindow[]> = new Map();
  const ahead = (segment: string): readonly MaintenanceWindow[] => {
    const newest = providers();
    if (newest !== read) windows = new Map(newest.map((one) => [one.segment, windowsOf(one)]));
    read = newest;
    const at = now();
    return windows.get(segment)?.filter(({ to }) => to > at) ?? [];
  };
  return {
    /** Returns the windows of a segment that have not ended, by their beginning. */
    ahead,
    /** Returns the current window of a segment, extended by windows that follow without a pause; null without one. */
    current(segment: string): MaintenanceWindow | null {
      const at = now();
      const [first, ...others] = ahead(segment);
      if (first === undefined || first.from > at) return null;
      const to = others.reduce(
        (end, next) => (next.from <= end ? Math.max(end, next.to) : end),
        first.to,
      );
      return { ...first, to };
    },
  };
}

/** Returns a provider's windows, by their beginning. */
function windowsOf({ settings }: MaintainedProvider): readonly MaintenanceWindow[] {
  return settings.maintenance
    .map(({ from, note = null, to }) => ({ from: Date.parse(from), to: Date.parse(to), note }))
    .toSorted((one, other) => one.from - other.from);
}
