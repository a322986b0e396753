import * as z from "zod/mini";
import type { Read } from "../contract/endpoint.ts";
import type { OpenEnum, Schema } from "../contract/schema.ts";
import { list } from "../schema/composites.ts";
import { openEnum } from "../schema/formats.ts";
import { loose, strict, zod } from "../schema/object.ts";
import { utcInstant } from "./utc-instant.ts";

/**
 * The availability of an insurer. `up`: calls succeed, or there are none. `degraded`: calls wait or some fail. `down`:
 * after many failed calls, the gateway does not call it for some time. `maintenance`: the operator has declared
 * maintenance. A newer gateway may have further states.
 */
export type ProviderState = OpenEnum<"up" | "degraded" | "down" | "maintenance">;

/** A period in which an insurer accepts no submissions, with instants of RFC 3339 in UTC. The end is exclusive. */
export interface MaintenanceWindow {
  /** The first instant of the window. */
  readonly from: string;
  /** The instant at which the window ends. */
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
  /** `up`, `degraded` (calls wait or some fail), `down` (the gateway does not call it for now) or `maintenance`. */
  readonly state: ProviderState;
  /** The maintenance windows that have not ended. */
  readonly maintenance: readonly MaintenanceWindow[];
}

/** The current availability of every insurer of a gateway. */
export interface ProviderStatusList {
  /** The providers, in the order of the gateway's configuration. */
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

const maintenanceWindow: Schema<MaintenanceWindow> = loose<MaintenanceWindow>({
  from: utcInstant,
  to: utcInstant,
  note: z.nullable(z.string()),
});

const statusFields = {
  segment: z.string(),
  provider: z.string(),
  state: openEnum("up", "degraded", "down", "maintenance"),
  maintenance: list(zod(maintenanceWindow)),
};

const providerStatus: Schema<ProviderStatus> = loose<ProviderStatus>(statusFields);

const providerStatusList: Schema<ProviderStatusList> = loose<ProviderStatusList>({
  items: list(zod(providerStatus)),
  at: utcInstant,
});

const dayOfAvailability: Schema<DayOfAvailability> = loose<DayOfAvailability>({
  day: z.string().check(z.meta({ format: "date" })),
  availability: z.nullable(z.number()),
});

const providerHistory: Schema<ProviderHistory> = loose<ProviderHistory>({
  ...statusFields,
  days: z.nullable(list(zod(dayOfAvailability))),
  at: utcInstant,
});

/** The path parameters of an insurer's status. */
export interface ProviderParams {
  /** The provider's path segment on this gateway, as the list of providers has it. */
  readonly segment: string;
}

const providerParams: Schema<ProviderParams> = strict<ProviderParams>({
  segment: z.string(),
});

/** Lists the providers with their availability. No insurer is called. The token needs no scope. */
export const listProviders: Read<{ response: ProviderStatusList }> = {
  kind: "read",
  provider: "",
  method: "GET",
  path: "/providers",
  response: { 200: providerStatusList },
};

/**
 * Reads a provider's availability, now and on each of the last 90 days, without calling it. The token needs no scope.
 */
export const readProviderStatus: Read<{ params: ProviderParams; response: ProviderHistory }> = {
  kind: "read",
  provider: "",
  method: "GET",
  path: "/providers/{segment}/status",
  params: providerParams,
  response: { 200: providerHistory },
};
