import type { Read } from "../contract/endpoint.ts";
import type { OpenEnum } from "../contract/open-enum.ts";
import { isInstant, isRecord, isText, schemaOf } from "./own-schema.ts";

/**
 * How available an insurer is: calls work, or there are none; calls wait or some fail; it failed so often that the
 * gateway does not call it for a while; the operator has declared maintenance. A newer gateway may have further states.
 */
export type ProviderState = OpenEnum<"up" | "degraded" | "down" | "maintenance">;

/** A time in which an insurer takes no submissions, with instants of RFC 3339 in UTC; the end is not included. */
export interface MaintenanceWindow {
  readonly from: string;
  readonly to: string;
  /** What the gateway's operator says about it; null for nothing. */
  readonly note: string | null;
}

/** How available an insurer is now. */
export interface ProviderStatus {
  /** The provider's path segment on this gateway. */
  readonly segment: string;
  /** The provider's id. */
  readonly provider: string;
  readonly state: ProviderState;
  /** The windows that have not ended. */
  readonly maintenance: readonly MaintenanceWindow[];
}

/** How available every insurer of a gateway is. */
export interface ProviderStatusList {
  /** In the order of the gateway's configuration. */
  readonly items: readonly ProviderStatus[];
  /** The time of this state, as RFC 3339 in UTC. */
  readonly at: string;
}

/** How available an insurer was on one day. */
export interface DayOfAvailability {
  /** A calendar day in the gateway's time zone: `2026-11-22`. */
  readonly day: string;
  /** The share of calls that did not fail by the insurer's own fault, from 0 to 1; null on a day without calls. */
  readonly availability: number | null;
}

/** How available an insurer is, and was. */
export interface ProviderHistory extends ProviderStatus {
  /** The last 90 days, the newest first; null while the gateway cannot read them. */
  readonly days: readonly DayOfAvailability[] | null;
  /** When it was so, as RFC 3339 in UTC. */
  readonly at: string;
}

const statusFields = {
  segment: isText,
  provider: isText,
  state: isText,
  maintenance: isListOf(isWindow),
};

/** The gateway's own read of all its insurers, which belongs to no provider. */
export const readProviders: Read<{ response: ProviderStatusList }> = {
  kind: "read",
  provider: "",
  method: "GET",
  path: "/providers",
  response: {
    200: schemaOf<ProviderStatusList>({
      items: isListOf((item) => hasFields(item, statusFields)),
      at: isInstant,
    }),
  },
};

/** The gateway's own read of one insurer. */
export const readProviderStatus: Read<{
  params: { segment: string };
  response: ProviderHistory;
}> = {
  kind: "read",
  provider: "",
  method: "GET",
  path: "/providers/{segment}/status",
  params: schemaOf<{ segment: string }>({ segment: (value) => isText(value) && value !== "" }),
  response: {
    200: schemaOf<ProviderHistory>({
      ...statusFields,
      days: (value) => value === null || isListOf(isDay)(value),
      at: isInstant,
    }),
  },
};

function isWindow(value: unknown): boolean {
  return hasFields(value, {
    from: isInstant,
    to: isInstant,
    note: (note) => note === null || isText(note),
  });
}

function isDay(value: unknown): boolean {
  return hasFields(value, {
    day: isText,
    availability: (share) => share === null || typeof share === "number",
  });
}

function isListOf(isItem: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(isItem);
}

function hasFields(
  value: unknown,
  fields: Readonly<Record<string, (value: unknown) => boolean>>,
): boolean {
  return (
    isRecord(value) &&
    Object.entries(fields).every(([name, holds]) => holds(Reflect.get(value, name)))
  );
}
