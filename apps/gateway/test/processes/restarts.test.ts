import cluster from "node:cluster";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ConfigurationError } from "../../src/configuration/configuration-error.ts";
import { supervise } from "../../src/processes/supervisor.ts";
import { type FakeSupervisor, startBoth, startSupervisor } from "./fake-processes.ts";

const ENDED = "a process ended and is replaced";
const NOT_REPLACED = "the processes were not replaced; the previous ones stay in use";

/** Puts a clock in the place of the process's own. */
function holdClock(): (milliseconds: number) => void {
  let now = 1_000;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  return (milliseconds) => {
    now += milliseconds;
  };
}

describe("the supervisor", () => {
  it("accepts connections itself, whatever the environment says of the cluster", () => {
    const { schedulingPolicy } = cluster;
    onTestFinished(() => {
      cluster.schedulingPolicy = schedulingPolicy;
    });
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    startSupervisor();
    expect(cluster.schedulingPolicy).toBe(cluster.SCHED_RR);
  });

  it("gives all processes one secret, which is new at each start", async () => {
    const secretsOf = ({ started }: FakeSupervisor): readonly string[] =>
      started.flatMap(({ environment }) => Object.values(environment));
    const supervisor = await startBoth();
    const [secret = ""] = secretsOf(supervisor);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(supervisor.started.map(({ environment }) => environment)).toEqual([
      { GATEWAY_START_SECRET: secret },
      { GATEWAY_START_SECRET: secret },
    ]);
    expect(secretsOf(startSupervisor())).not.toContain(secret);
  });

  it.each([[{}], [{ DATABASE_URL: "" }]])("refuses to start with %j", async (environment) => {
    const log = (): void => {};
    const refused = supervise(2, environment, { info: log, warn: log, error: log, fatal: log });
    await expect(refused).rejects.toEqual(
      new ConfigurationError("--processes", [
        "DATABASE_URL (environment): must name a PostgreSQL database; several processes cannot serve from a SQLite file",
      ]),
    );
  });

  it.each([
    ["its code", Object.assign(new Error("spawn"), { code: "ENOMEM" }), "ENOMEM"],
    ["no code", new Error("spawn"), "EUNKNOWN"],
    ["no error", "spawn", "EUNKNOWN"],
  ])(
    "ends with 1 where its first process cannot be started, and logs %s",
    async (_, error, exit) => {
      const supervisor = startSupervisor(error);
      await supervisor.pass(0);
      const { code, fields, lines } = supervisor;
      expect({ code, fields, lines }).toEqual({
        code: 1,
        fields: [{ exit }],
        lines: ["a process cannot be started"],
      });
      expect(supervisor.timers.size).toBe(0);
    },
  );

  it("logs an error of the start that the system reports later", async () => {
    const supervisor = startSupervisor();
    await supervisor.at(0).fails();
    const { code, fields } = supervisor;
    expect({ code, fields }).toEqual({ code: 1, fields: [{ exit: "ENOENT" }] });
  });

  it("ends with the code of its first process, which has said why itself", async () => {
    const supervisor = startSupervisor();
    await supervisor.at(0).exits(78);
    const { code, lines } = supervisor;
    expect({ code, lines }).toEqual({ code: 78, lines: [] });
  });

  it("ends with the highest code of its processes", async () => {
    const supervisor = await startBoth();
    await supervisor.signal("SIGTERM");
    await supervisor.at(0).exits(5);
    await supervisor.at(1).exits(3);
    expect(supervisor.code).toBe(5);
  });
});

describe("a process that ends", () => {
  it("is replaced at once, and again and again after twice the time, half a minute at most", async () => {
    const supervisor = await startBoth();
    const waits = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
    for (const [index, waitMs] of waits.entries()) {
      await supervisor.at(index + 1).exits(index);
      await supervisor.pass(waitMs);
    }
    expect(supervisor.lines).toEqual(waits.map(() => ENDED));
    expect(supervisor.fields).toEqual(
      waits.map((waitMs, index) => ({ pid: 101 + index, exit: String(index), waitMs })),
    );
    expect(supervisor.started).toHaveLength(10);
  });

  it("is replaced at once where it has served for more than a minute", async () => {
    const forward = holdClock();
    const supervisor = await startBoth();
    await supervisor.at(1).exits(null, "SIGSEGV");
    await supervisor.pass(0);
    await supervisor.at(2).serves();
    forward(60_000);
    await supervisor.at(2).exits(1);
    await supervisor.pass(1_000);
    await supervisor.at(3).serves();
    forward(60_001);
    await supervisor.at(3).exits(1);
    expect(supervisor.fields).toEqual([
      { pid: 101, exit: "SIGSEGV", waitMs: 0 },
      { pid: 102, exit: "1", waitMs: 1_000 },
      { pid: 103, exit: "1", waitMs: 0 },
    ]);
  });

  it("is replaced although it was the first one, or took the place of another", async () => {
    const supervisor = await startBoth();
    await supervisor.signal("SIGUSR2");
    await supervisor.at(2).serves();
    await supervisor.at(0).exits(0);
    await supervisor.at(3).serves();
    await supervisor.at(1).exits(0);
    await supervisor.at(2).exits(1);
    expect(supervisor.lines).toEqual(["the processes were replaced", ENDED]);
    const other = await startBoth();
    await other.at(0).exits(1);
    expect(other.lines).toEqual([ENDED]);
  });

  it("is not replaced after its wait when all are to end meanwhile", async () => {
    const supervisor = await startBoth();
    await supervisor.at(1).exits(1);
    await supervisor.signal("SIGTERM");
    await supervisor.pass(0);
    expect(supervisor.started).toHaveLength(2);
  });

  it("is not replaced a second time in a replacement of all", async () => {
    const supervisor = await startBoth();
    await supervisor.signal("SIGUSR2");
    await supervisor.at(1).exits(1);
    await supervisor.pass(0);
    await supervisor.at(2).serves();
    await supervisor.at(0).exits(0);
    expect(supervisor.started).toHaveLength(4);
    expect(supervisor.lines).toEqual([ENDED, "the processes were replaced"]);
  });

  it("is replaced by itself when the one in its place cannot start", async () => {
    const supervisor = await startBoth();
    await supervisor.signal("SIGUSR2");
    await supervisor.at(0).exits(1);
    await supervisor.at(2).exits(78);
    await supervisor.pass(0);
    expect(supervisor.lines).toEqual([ENDED, NOT_REPLACED]);
    expect(supervisor.fields).toEqual([
      { pid: 100, exit: "1", waitMs: 0 },
      { pid: 102, exit: "78" },
    ]);
    expect(supervisor.started).toHaveLength(4);
  });

  it("is not begun to be replaced by a SIGUSR2 while all end", async () => {
    const supervisor = await startBoth();
    await supervisor.signal("SIGTERM");
    await supervisor.signal("SIGUSR2");
    expect(supervisor.started).toHaveLength(2);
    expect(supervisor.lines).toEqual([]);
  });
});
