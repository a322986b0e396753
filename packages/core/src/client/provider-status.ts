import type { Read } from "../contract/endpoint.ts";
import type { OpenEnum } from "../contract/open-enum.ts";
import { isInstant, isRecord, isText, schemaOf } from "./own-schema.ts";

/**
 * The availability of an insurer. `up`: calls succeed, or there are none. `degraded`: calls wait or some fail. `down`:
 * so many calls failed that the gateway does not call it for some time. `maintenance`: the operator has declared
 * maintenance. A newer gateway may have further states.
 */
export type ProviderState = OpenEnum<"up" | "degraded" | "down" | "maintenance">;

/** A period in which an insurer accepts no submissions, with instants of RFC 3339 in UTC. The end is exclusive. */
export interface MaintenanceWindow {
  readonly from: string;
  readonly to: string;
  /** The operator's note; null if there is none. */
  readonly note: string | null;
}

/** The current availability of an insurer. */
export interface ProviderStatus {
  /** The provider's path segment on this gateway. */
  readonly segment: string;
  /** The provider's id. */
  readonly provider: string;
  readonly state: ProviderState;
  /** The windows that have not ended. */
  readonly maintenance: readonly MaintenanceWindow[];
}

/** The current availability of every insurer of a gateway. */
export interface ProviderStatusList {
  /** In the order of the gateway's configuration. */
  readonly items: readonly ProviderStatus[];
  /** The time of this state, as RFC 3339 in UTC. */
  readonly at: string;
}

/** The availability of an insurer on one day. */
export interface DayOfAvailability {
  /** A calendar day in the gateway's time zone: `2026-11-22`. */
  readonly day: string;
  /** The share of calls, from 0 to 1, that did not fail because of the insurer; null on a day without calls. */
  readonly availability: number | null;
}

/** The current and past availability of an insurer. */
export interface ProviderHistory extends ProviderStatus {
  /** The last 90 days, the newest first; null while the gateway cannot read them. */
  readonly days: readonly DayOfAvailability[] | null;
  /** The time of this state, as RFC 3339 in UTC. */
  readonly at: string;
}

const statusFields = {
  segment: isText,
  provider: isText,
  state: isText,
  maintenance: isListOf(isWindow),
};

/** The gateway's own endpoint for the state of all insurers. */
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

/** The gateway's own endpoint for the state of one insurer. */
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
