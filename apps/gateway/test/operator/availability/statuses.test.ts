import { describe, expect, it } from "vitest";
import { createDays } from "../../../src/accounts/usage/days.ts";
import { createMaintenancePlan } from "../../../src/insurers/resilience/maintenance.ts";
import {
  createProviderStatuses,
  type ProviderStatuses,
} from "../../../src/operator/provider-status.ts";
import type { CountedAttempts } from "../../../src/store/stored-usage.ts";
import { trafficOf } from "../operations/operations-server.ts";

const NOON = Date.parse("2026-11-22T10:00:00Z");

function statusesWith(counted: readonly CountedAttempts[] | null): ProviderStatuses {
  const plan = createMaintenancePlan(
    () => [
      {
        segment: "home",
        settings: {
          maintenance: [
            { from: "2026-11-22T09:00:00Z", to: "2026-11-22T11:00:00Z", note: "Now" },
            { from: "2026-11-23T09:00:00Z", to: "2026-11-23T10:00:00Z" },
          ],
        },
      },
    ],
    () => NOON,
  );
  const none = { refused: 0, p50Ms: null, p95Ms: null, lastSuccessAt: null };
  return createProviderStatuses({
    attempts: async () => counted,
    days: createDays("Europe/Athens"),
    health: {
      figures: (segment) =>
        segment === "motor"
          ? { ...none, calls: 20, errorRate: 0.05 }
          : { ...none, calls: 0, errorRate: null },
    },
    maintenance: plan,
    now: () => NOON,
    traffic: () => [
      trafficOf("motor", { provider: "provider-d", refusedAccounts: ["default"] }),
      trafficOf("home", { breaker: "open" }),
      trafficOf("life", { refusedAccounts: ["default"] }),
    ],
  });
}

const motor = { segment: "motor", provider: "provider-d", state: "degraded", maintenance: [] };

describe("the statuses of providers", () => {
  it("a provider's state ignores refused credentials, and is `maintenance` during maintenance even if calls fail", () => {
    expect(statusesWith([]).list()).toEqual({
      items: [
        motor,
        {
          segment: "home",
          provider: "home",
          state: "maintenance",
          maintenance: [
            { from: "2026-11-22T09:00:00.000Z", to: "2026-11-22T11:00:00.000Z", note: "Now" },
            { from: "2026-11-23T09:00:00.000Z", to: "2026-11-23T10:00:00.000Z", note: null },
          ],
        },
        { segment: "life", provider: "life", state: "up", maintenance: [] },
      ],
      at: "2026-11-22T10:00:00.000Z",
    });
  });

  it("a provider's status has 90 days of availability, rounded down to a hundredth of a percent", async () => {
    const day = (name: string, counts: Partial<CountedAttempts> = {}): CountedAttempts => ({
      day: name,
      segment: "motor",
      attempts: 0,
      failures: 0,
      heldBack: 0,
      ...counts,
    });
    const { days, ...status } = await statusesWith([
      day("2026-11-22", { attempts: 3, failures: 1 }),
      day("2026-11-21", { attempts: 2, failures: 1, heldBack: 2 }),
      day("2026-11-20"),
      day("2026-11-19", { segment: "home", attempts: 4 }),
      day("2026-11-18", { heldBack: 1 }),
      day("2026-08-25", { attempts: 1 }),
      day("2026-08-24", { attempts: 1 }),
    ]).one("motor");
    expect(status).toEqual({ ...motor, at: "2026-11-22T10:00:00.000Z" });
    expect(days).toHaveLength(90);
    expect(days?.slice(0, 5)).toEqual([
      { day: "2026-11-22", availability: 0.6666 },
      { day: "2026-11-21", availability: 0.25 },
      { day: "2026-11-20", availability: null },
      { day: "2026-11-19", availability: null },
      { day: "2026-11-18", availability: 0 },
    ]);
    expect(days?.slice(-2)).toEqual([
      { day: "2026-08-26", availability: null },
      { day: "2026-08-25", availability: 1 },
    ]);
  });

  it("a provider's status has no daily availability while the store is unavailable", async () => {
    expect(await statusesWith(null).one("motor")).toMatchObject({ ...motor, days: null });
    await expect(statusesWith(null).one("nothing")).rejects.toMatchObject({
      code: "NOT_FOUND",
      details: { detail: "No provider has this segment; GET /providers lists them." },
    });
  });
});
