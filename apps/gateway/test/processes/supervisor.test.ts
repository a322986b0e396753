import type { Worker } from "node:cluster";
import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import type { FromProcess, ToProcess } from "../../src/processes/peers.ts";
import { supervise } from "../../src/processes/supervisor.ts";

/** A process that does only what the test says. */
interface FakeProcess {
  readonly signals: string[];
  readonly sent: ToProcess["type"][];
  tell(message: FromProcess): Promise<void>;
  serves(): Promise<void>;
  exits(code: number | null, signal?: string | null): Promise<void>;
  /** The system cannot start it. */
  fails(): Promise<void>;
}

interface Forked {
  pid: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  readonly kill: (signal: string) => void;
}

interface Timer {
  readonly milliseconds: number;
  readonly work: () => void;
}

let signals: EventEmitter;
let started: FakeProcess[];
let timers: Set<Timer>;
let lines: string[];
let printed: string;
let code: number | null;
let isForkThrowing: boolean;
let failure: unknown;

function forkFake(): Worker {
  if (isForkThrowing) throw Object.assign(new Error("spawn"), { code: "ENOMEM" });
  const worker = new EventEmitter();
  const forked: Forked = {
    pid: 100 + started.length,
    exitCode: null,
    signalCode: null,
    kill: (name) => void fake.signals.push(name),
  };
  const fake: FakeProcess = {
    signals: [],
    sent: [],
    async tell(message) {
      worker.emit("message", message);
      await turn();
    },
    serves: () => fake.tell({ type: "serving", greeting: "hello", endsWithinMs: 65_000 }),
    async exits(exitCode, signalCode = null) {
      Object.assign(forked, { exitCode, signalCode });
      worker.emit("exit", exitCode, signalCode);
      await turn();
    },
    async fails() {
      forked.pid = undefined;
      worker.emit("error", Object.assign(new Error("spawn"), { code: "ENOENT" }));
      await turn();
    },
  };
  started.push(fake);
  const send = (message: ToProcess): void => void fake.sent.push(message.type);
  // What the supervisor uses of a worker, and no more.
  return Object.assign(worker, { process: forked, isConnected: () => true, send }) as never;
}

/** The process that was started as this one, from 0. */
function at(index: number): FakeProcess {
  const found = started[index];
  if (found === undefined) throw new Error(`Only ${started.length} processes were started`);
  return found;
}

async function signal(name: string): Promise<void> {
  signals.emit(name);
  await turn();
}

/** Lets the timers pass that wait for so long. */
async function pass(milliseconds: number): Promise<void> {
  const due = [...timers].filter((timer) => timer.milliseconds === milliseconds);
  for (const timer of due) {
    timers.delete(timer);
    timer.work();
  }
  await turn();
}

beforeEach(() => {
  signals = new EventEmitter();
  started = [];
  timers = new Set();
  lines = [];
  printed = "";
  code = null;
  failure = null;
  isForkThrowing = false;
  const log = (first: unknown, second?: string): void => void lines.push(second ?? String(first));
  supervise(
    2,
    { DATABASE_URL: "postgres://" },
    { info: log, warn: log, error: log, fatal: log },
    {
      fork: forkFake,
      signals,
      print: (text) => (printed += text),
      after(milliseconds, work) {
        const timer = { milliseconds, work };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
  ).then(
    (ended) => (code = ended),
    (error: unknown) => (failure = error),
  );
});

async function startBoth(): Promise<void> {
  await at(0).serves();
  await at(1).serves();
  expect({ printed, started: started.length }).toEqual({ printed: "hello", started: 2 });
}

const REPLACED = "the processes were replaced";
const NOT_REPLACED = "the processes were not replaced; the previous ones stay in use";
const ENDED = "a process ended and is replaced";
const LATE = "a process did not start or end in time";

it("replaces a process that ends, and one that cannot be started, after longer and longer times", async () => {
  await startBoth();
  await at(1).exits(1);
  await pass(0);
  await at(2).fails();
  isForkThrowing = true;
  await pass(1_000);
  isForkThrowing = false;
  await pass(2_000);
  expect({ code, failure, lines, started: started.length }).toEqual({
    code: null,
    failure: null,
    lines: [ENDED, ENDED, ENDED],
    started: 4,
  });
});

it("goes on with the previous processes when a new one cannot be started", async () => {
  await startBoth();
  await signal("SIGUSR2");
  await at(2).fails();
  expect(lines).toEqual([NOT_REPLACED]);
  await pass(0);
  expect(started).toHaveLength(3);
  expect([at(0).sent, at(1).sent]).toEqual([[], []]);
});

it("ends with 1 when the first process cannot be started", async () => {
  await at(0).exits(1);
  expect(code).toBe(1);
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
  expect({ code, lines, printed }).toEqual({ code: 0, lines: [], printed: "" });
});

it("ends with 0 on SIGTERM while the first process loads", async () => {
  await signal("SIGINT");
  await at(0).exits(null, "SIGINT");
  expect(code).toBe(0);
});

it("ends with 1 when a process that served is killed while it ends", async () => {
  await startBoth();
  await signal("SIGTERM");
  await at(0).exits(0);
  await at(1).exits(null, "SIGTERM");
  expect(code).toBe(1);
});

it("kills a process that does not serve in time, and keeps the one that it was to replace", async () => {
  await startBoth();
  await signal("SIGUSR2");
  await pass(120_000);
  expect(at(2).signals).toEqual(["SIGKILL"]);
  await at(2).exits(null, "SIGKILL");
  expect(lines).toEqual([LATE, NOT_REPLACED]);
});

it("lets no process that serves be killed for its start", async () => {
  await startBoth();
  expect(timers.size).toBe(0);
});

it("kills a process that does not end in time, by the time that it named last", async () => {
  await startBoth();
  await signal("SIGTERM");
  await at(1).tell({ type: "ending", endsWithinMs: 300_000 });
  await pass(75_000);
  expect([at(0).signals, at(1).signals]).toEqual([["SIGTERM", "SIGKILL"], ["SIGTERM"]]);
  await pass(310_000);
  expect(at(1).signals).toEqual(["SIGTERM", "SIGKILL"]);
});

it("kills a replaced process that does not end in time, and goes on with the next one", async () => {
  await startBoth();
  await signal("SIGUSR2");
  await at(2).serves();
  expect(at(0).sent).toEqual(["replaced"]);
  await pass(75_000);
  expect(at(0).signals).toEqual(["SIGKILL"]);
  await at(0).exits(null, "SIGKILL");
  expect(started).toHaveLength(4);
});

it("replaces the processes once more for a SIGUSR2 that arrives meanwhile", async () => {
  await startBoth();
  await signal("SIGUSR2");
  await signal("SIGUSR2");
  for (const old of [0, 1, 2, 3]) {
    await at(old + 2).serves();
    await at(old).exits(0);
  }
  expect({ lines, started: started.length }).toEqual({ lines: [REPLACED, REPLACED], started: 6 });
});

it("replaces the processes after the start for a SIGUSR2 that arrives during it", async () => {
  await signal("SIGUSR2");
  await at(0).serves();
  expect(started).toHaveLength(2);
  await at(1).serves();
  expect({ lines, started: started.length }).toEqual({ lines: [], started: 3 });
});

it("logs nothing of a replacement that the end interrupts", async () => {
  await startBoth();
  await signal("SIGUSR2");
  await signal("SIGTERM");
  await at(0).exits(0);
  await at(2).exits(null, "SIGTERM");
  await at(1).exits(0);
  await pass(0);
  expect({ code, lines, started: started.length }).toEqual({ code: 0, lines: [], started: 3 });
});

it("logs no finished replacement when the end interrupts the last one", async () => {
  await startBoth();
  await signal("SIGUSR2");
  await at(2).serves();
  await at(0).exits(0);
  await at(3).serves();
  await signal("SIGTERM");
  for (const index of [1, 2, 3]) await at(index).exits(0);
  expect({ code, lines }).toEqual({ code: 0, lines: [] });
});
