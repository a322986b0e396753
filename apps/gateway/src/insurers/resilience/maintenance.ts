import type { MaintenanceConfiguration } from "../../configuration/file.ts";

/** A period in which an insurer maintains its systems. */
export interface MaintenanceWindow {
  /** Beginning and end in milliseconds since 1970; the end does not belong to the window. */
  readonly from: number;
  readonly to: number;
  /** The operator's note about the maintenance. */
  readonly note: string | null;
}

/** The maintenance windows that the operator has configured for all insurers. */
export type MaintenancePlan = ReturnType<typeof createMaintenancePlan>;

/** A provider with its configured maintenance windows. */
export interface MaintainedProvider {
  readonly segment: string;
  readonly settings: { readonly maintenance: readonly MaintenanceConfiguration[] };
}

/**
 * Creates the maintenance plan from the configured windows.
 * @param providers - returns the providers with their newest settings
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
    /** Returns the current and future windows of a segment's insurer, sorted by their beginning. */
    ahead,
    /** Returns the current window of a segment's insurer, joined with directly following windows; null without one. */
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

/** Returns a provider's windows, sorted by their beginning. */
function windowsOf({ settings }: MaintainedProvider): readonly MaintenanceWindow[] {
  return settings.maintenance
    .map(({ from, note = null, to }) => ({ from: Date.parse(from), to: Date.parse(to), note }))
    .toSorted((one, other) => one.from - other.from);
}
