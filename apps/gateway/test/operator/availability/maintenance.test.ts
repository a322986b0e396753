import { afterEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/configuration/configuration-error.ts";
import { createMaintenancePlan } from "../../../src/insurers/resilience/maintenance.ts";
import { applicationBody } from "../../harness/applications.ts";
import { problemIn } from "../../harness/problem.ts";
import { type Site, startSite, taking } from "../../harness/site.ts";

const MINUTE = 60_000;
const inMinutes = (minutes: number): string =>
  new Date(Date.now() + minutes * MINUTE).toISOString();

describe("the maintenance plan of a provider", () => {
  const at = (time: string): number => Date.parse(`2026-12-05T${time}:00Z`);
  const providers = [
    {
      segment: "motor",
      settings: {
        maintenance: [
          { from: "2026-12-05T12:00:00Z", to: "2026-12-05T13:00:00Z" },
          { from: "2026-12-05T04:00:00+02:00", to: "2026-12-05T05:00:00+02:00", note: "First" },
          { from: "2026-12-05T03:00:00Z", to: "2026-12-05T04:00:00Z", note: "Second" },
        ],
      },
    },
  ];
  const planAt = (time: string): ReturnType<typeof createMaintenancePlan> =>
    createMaintenancePlan(
      () => providers,
      () => at(time),
    );

  it("a maintenance window includes the time of its start and excludes the time of its end", () => {
    expect(planAt("01:59").current("motor")).toBeNull();
    expect(planAt("12:00").current("motor")).toMatchObject({ to: at("13:00"), note: null });
    expect(planAt("12:59").current("motor")).not.toBeNull();
    expect(planAt("13:00").current("motor")).toBeNull();
    expect(planAt("12:30").current("other")).toBeNull();
  });

  it("consecutive maintenance windows count as one maintenance, which ends with the last window", () => {
    expect(planAt("02:30").current("motor")).toMatchObject({ to: at("04:00"), note: "First" });
  });

  it("a provider's maintenance plan lists the windows that have not ended, sorted by start", () => {
    const notes = planAt("03:30")
      .ahead("motor")
      .map(({ note }) => note);
    expect(notes).toEqual(["Second", null]);
  });
});

describe("the maintenance of an insurer", () => {
  let site: Site | undefined;
  afterEach(async () => {
    await site?.stop();
    site = undefined;
  });
  const start = async (maintenance: readonly object[]): Promise<Site> => {
    site = await startSite({ maintenance });
    site.insurer.behaviour = taking();
    return site;
  };

  it("the gateway refuses submissions during maintenance, and still sends calls that change nothing", async () => {
    const { ask, insurer, pass, submit } = await start([
      { from: inMinutes(-5), to: inMinutes(10) },
    ]);
    const [body, key] = [applicationBody(), "one"];
    const refused = await submit(body, key);
    expect(refused.status).toBe(503);
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(9 * 60);
    expect(wait).toBeLessThanOrEqual(10 * 60);
    expect(await problemIn(refused)).toMatchObject({
      code: "PROVIDER_UNAVAILABLE",
      outcome: "not_sent",
      retry: "safe",
    });
    expect(insurer.arrivals).toHaveLength(0);
    insurer.behaviour = (response) => response.writeHead(200).end();
    await ask();
    expect(insurer.arrivals.length, "the gateway sends a search").toBeGreaterThan(0);
    insurer.behaviour = taking();
    await pass(wait * 1_000);
    expect((await submit(body, key)).status, "the refused submission did not use up the key").toBe(
      201,
    );
  });

  it("a repeated submission gets its stored answer during maintenance", async () => {
    const { pass, submit } = await start([{ from: inMinutes(1), to: inMinutes(10) }]);
    const body = applicationBody();
    expect((await submit(body, "one")).status).toBe(201);
    await pass(2 * MINUTE);
    const replayed = await submit(body, "one");
    expect([replayed.status, replayed.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    expect((await submit()).status).toBe(503);
  });

  it("the reconciliation of submissions pauses during an insurer's maintenance, and continues afterwards", async () => {
    const { insurer, pass, submit } = await start([{ from: inMinutes(1), to: inMinutes(10) }]);
    insurer.behaviour = (response) => response.destroy();
    expect((await submit()).status).toBe(504);
    const queries = (): number => insurer.arrivals.filter(({ method }) => method === "GET").length;
    await pass(2 * MINUTE);
    expect(queries()).toBe(0);
    await pass(9 * MINUTE);
    expect(queries()).toBeGreaterThan(0);
  });

  it.each([
    [{ from: "2026-12-05", to: "2026-12-06T00:00:00Z" }, "maintenance[0].from: must be a time"],
    [{ from: inMinutes(2), to: inMinutes(1) }, "maintenance[0].to: must be after from"],
    [
      { from: inMinutes(1), to: inMinutes(2), until: "" },
      "maintenance[0].until: is not an accepted key",
    ],
  ])(
    "the gateway refuses to start with an impossible maintenance window: %j",
    async (window, fault) => {
      const started = start([window]);
      await expect(started).rejects.toBeInstanceOf(ConfigurationError);
      await expect(started).rejects.toThrow(fault);
    },
  );
});
