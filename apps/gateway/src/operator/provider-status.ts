import {
  type ProviderHistory,
  type ProviderStatus,
  type ProviderStatusList,
  Refusal,
} from "@insurance-gateway/core/runtime";
import { AVAILABILITY_DAYS } from "../accounts/usage/account-usage.ts";
import { type Days, daysAfter } from "../accounts/usage/days.ts";
import type { ProviderTraffic } from "../events.ts";
import type { MaintenancePlan, MaintenanceWindow } from "../insurers/resilience/maintenance.ts";
import type { CountedAttempts } from "../store/stored-usage.ts";
import type { ProviderHealth } from "./observation/provider-health.ts";
import { stateOf } from "./operations/provider-list.ts";

/** The facts about the insurers that callers can read. */
export type ProviderStatuses = ReturnType<typeof createProviderStatuses>;

/** Arguments of `createProviderStatuses`. */
export interface ProviderStatusesParts {
  readonly traffic: () => readonly ProviderTraffic[];
  readonly health: Pick<ProviderHealth, "figures">;
  readonly maintenance: MaintenancePlan;
  readonly days: Days;
  /** Returns the attempts of all processes in the last 90 days; null while the store is unavailable. */
  readonly attempts: () => Promise<readonly CountedAttempts[] | null>;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Creates the functions that return insurers' statuses for callers. A status contains no number of calls, because this
 * number would reveal the business of other brokers.
 */
export function createProviderStatuses({
  attempts,
  days,
  health,
  maintenance,
  now,
  traffic,
}: ProviderStatusesParts) {
  const statusOf = ({ breaker, provider, queued, segment }: ProviderTraffic): ProviderStatus => {
    const { calls, errorRate } = health.figures(segment);
    const isMaintained = maintenance.current(segment) !== null;
    // A broker must not see another broker's refused credentials.
    const facts = { breaker, queued, calls, errorRate, areCredentialsRefused: false };
    return {
      segment,
      provider,
      state: isMaintained ? "maintenance" : stateOf(facts).state,
      maintenance: maintenance.ahead(segment).map(windowForCallers),
    };
  };
  const at = (): string => new Date(now()).toISOString();
  return {
    /** Returns all statuses, in the order of the configuration. */
    list: (): ProviderStatusList => ({
      items: traffic().map(statusOf),
      at: at(),
    }),
    /** Returns the status of one provider; throws a Refusal if the segment does not exist. */
    async one(segment: string): Promise<ProviderHistory> {
      const found = traffic().find((one) => one.segment === segment);
      if (found === undefined)
        throw new Refusal("NOT_FOUND", {
          detail: "No provider has this segment; GET /providers lists them.",
        });
      const counted = await attempts();
      const today = days.dayOf(now());
      return {
        ...statusOf(found),
        days: counted === null ? null : lastDays(counted, segment, today),
        at: at(),
      };
    },
  };
}

function windowForCallers({
  from,
  note,
  to,
}: MaintenanceWindow): ProviderStatus["maintenance"][number] {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), note };
}

function lastDays(
  counted: readonly CountedAttempts[],
  segment: string,
  today: string,
): NonNullable<ProviderHistory["days"]> {
  const own = new Map(
    counted.flatMap((one) => (one.segment === segment ? [[one.day, one] as const] : [])),
  );
  return Array.from({ length: AVAILABILITY_DAYS }, (_, age) => {
    const day = daysAfter(today, -age);
    return { day, availability: availabilityOf(own.get(day)) };
  });
}

/** Returns the share of answered attempts. Calls that the circuit breaker refused count as failed attempts. */
function availabilityOf(counted: CountedAttempts | undefined): number | null {
  const calls = (counted?.attempts ?? 0) + (counted?.heldBack ?? 0);
  if (counted === undefined || calls === 0) return null;
  return Math.floor(((counted.attempts - counted.failures) / calls) * 10_000) / 10_000;
}
