import { beforeEach, expect, it } from "vitest";
import { type FakeSupervisor, serveBoth, startSupervisor } from "./fake-processes.ts";

let supervisor: FakeSupervisor;
let at: FakeSupervisor["at"];
let signal: FakeSupervisor["signal"];
let pass: FakeSupervisor["pass"];

beforeEach(() => {
  supervisor = startSupervisor();
  ({ at, pass, signal } = supervisor);
});

const REPLACED = "the processes were replaced";
const NOT_REPLACED = "the processes were not replaced; the previous ones stay in use";
const ENDED = "a process ended and is replaced";
const LATE = "a process did not start or end in time";

it("starts two processes, and prints the greeting once", async () => {
  await serveBoth(supervisor);
  const { printed, started } = supervisor;
  expect({ printed, started: started.length }).toEqual({ printed: "hello", started: 2 });
});

it("replaces a process that ends, and one that cannot be started, after longer and longer times", async () => {
  await serveBoth(supervisor);
  await at(1).exits(1);
  await pass(0);
  await at(2).fails();
  supervisor.startError = Object.assign(new Error("spawn"), { code: "ENOMEM" });
  await pass(1_000);
  supervisor.startError = null;
  await pass(2_000);
  const { code, failure, lines, started } = supervisor;
  expect({ code, failure, lines, started: started.length }).toEqual({
    code: null,
    failure: null,
    lines: [ENDED, ENDED, ENDED],
    started: 4,
  });
});

it("goes on with the previous processes when a new one cannot be started", async () => {
  await serveBoth(supervisor);
  await signal("SIGUSR2");
  await at(2).fails();
  expect(supervisor.lines).toEqual([NOT_REPLACED]);
  await pass(0);
  expect(supervisor.started).toHaveLength(3);
  expect([at(0).sent, at(1).sent]).toEqual([[], []]);
});

it("ends with 1 when the first process cannot be started", async () => {
  await at(0).exits(1);
  expect(supervisor.code).toBe(1);
});

it("passes SIGHUP on to a process that loads once it serves", async () => {
  await at(0).serves();
  await signal("SIGHUP");
  expect([at(0).signals, at(1).signals]).toEqual([["SIGHUP"], []]);
  await at(1).serves();
  expect(at(1).signals).toEqual(["SIGHUP"]);
});

it("ends with 0 on SIGTERM while a process loads", async () => {
  await at(0).serves();
  await signal("SIGTERM");
  await at(0).exits(0);
  await at(1).exits(null, "SIGTERM");
  const { code, lines, printed } = supervisor;
  expect({ code, lines, printed }).toEqual({ code: 0, lines: [], printed: "" });
});

it("ends with 0 on SIGTERM while the first process loads", async () => {
  await signal("SIGINT");
  await at(0).exits(null, "SIGINT");
  expect(supervisor.code).toBe(0);
});

it("ends with 1 when a process that served is killed while it ends", async () => {
  await serveBoth(supervisor);
  await signal("SIGTERM");
  await at(0).exits(0);
  await at(1).exits(null, "SIGTERM");
  expect(supervisor.code).toBe(1);
});

it("kills a process that does not serve in time, and keeps the one that it was to replace", async () => {
  await serveBoth(supervisor);
  await signal("SIGUSR2");
  await pass(120_000);
  expect(at(2).signals).toEqual(["SIGKILL"]);
  await at(2).exits(null, "SIGKILL");
  expect(supervisor.lines).toEqual([LATE, NOT_REPLACED]);
});

it("lets no process that serves be killed for its start", async () => {
  await serveBoth(supervisor);
  expect(supervisor.timers.size).toBe(0);
});

it("kills a process that does not end in time, by the time that it named last", async () => {
  await serveBoth(supervisor);
  await signal("SIGTERM");
  await at(1).sends({ type: "ending", endsWithinMs: 300_000 });
  await pass(75_000);
  expect([at(0).signals, at(1).signals]).toEqual([["SIGTERM", "SIGKILL"], ["SIGTERM"]]);
  await pass(310_000);
  expect(at(1).signals).toEqual(["SIGTERM", "SIGKILL"]);
});

it("kills a replaced process that does not end in time, and goes on with the next one", async () => {
  await serveBoth(supervisor);
  await signal("SIGUSR2");
  await at(2).serves();
  expect(at(0).sent).toEqual([{ type: "replaced" }]);
  await pass(75_000);
  expect(at(0).signals).toEqual(["SIGKILL"]);
  await at(0).exits(null, "SIGKILL");
  expect(supervisor.started).toHaveLength(4);
});

it("replaces the processes once more for a SIGUSR2 that arrives meanwhile", async () => {
  await serveBoth(supervisor);
  await signal("SIGUSR2");
  await signal("SIGUSR2");
  for (const old of [0, 1, 2, 3]) {
    await at(old + 2).serves();
    await at(old).exits(0);
  }
  const { lines, started } = supervisor;
  expect({ lines, started: started.length }).toEqual({ lines: [REPLACED, REPLACED], started: 6 });
});

it("replaces the processes after the start for a SIGUSR2 that arrives during it", async () => {
  await signal("SIGUSR2");
  await at(0).serves();
  expect(supervisor.started).toHaveLength(2);
  await at(1).serves();
  const { lines, started } = supervisor;
  expect({ lines, started: started.length }).toEqual({ lines: [], started: 3 });
});

it("logs nothing of a replacement that the end interrupts", async () => {
  await serveBoth(supervisor);
  await signal("SIGUSR2");
  await signal("SIGTERM");
  await at(0).exits(0);
  await at(2).exits(null, "SIGTERM");
  await at(1).exits(0);
  await pass(0);
  const { code, lines, started } = supervisor;
  expect({ code, lines, started: started.length }).toEqual({ code: 0, lines: [], started: 3 });
});

it("logs no finished replacement when the end interrupts the last one", async () => {
  await serveBoth(supervisor);
  await signal("SIGUSR2");
  await at(2).serves();
  await at(0).exits(0);
  await at(3).serves();
  await signal("SIGTERM");
  for (const index of [1, 2, 3]) await at(index).exits(0);
  const { code, lines } = supervisor;
  expect({ code, lines }).toEqual({ code: 0, lines: [] });
});
