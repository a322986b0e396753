import type { Worker } from "node:cluster";
import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import type { FromProcess, ToProcess } from "../../src/processes/peers.ts";
import { supervise } from "../../src/processes/supervisor.ts";

/** A process that does only what the test says. */
export interface FakeProcess {
  /** What it was started with, beside the environment of the supervisor. */
  readonly environment: Readonly<Record<string, string>>;
  readonly signals: readonly string[];
  readonly sent: readonly ToProcess[];
  /** What the system learns of the connections that it handed to the process: which one, and whether it was accepted. */
  readonly connections: readonly unknown[];
  sends(message: FromProcess): Promise<void>;
  serves(): Promise<void>;
  /** Its channel has closed, and its exit is not reported yet. */
  disconnects(): void;
  exits(code: number | null, signal?: string | null): Promise<void>;
  /** The system cannot start it. */
  fails(): Promise<void>;
  /** Something else fails, such as a signal that it cannot be sent. */
  reports(error: Error): Promise<void>;
  /** The system hands it a connection with this number. */
  isHanded(connection: number): void;
  accepts(connection: number): void;
  /** The last of its messages was read. */
  closes(): void;
}

interface Timer {
  readonly milliseconds: number;
  readonly work: () => void;
}

/** A supervisor of two processes, before a system that the test makes up. */
export interface FakeSupervisor {
  readonly started: readonly FakeProcess[];
  /** The messages in its log. */
  readonly lines: readonly string[];
  /** The fields of these messages. */
  readonly fields: readonly unknown[];
  readonly timers: ReadonlySet<Timer>;
  readonly printed: string;
  /** The exit code, once it has ended. */
  readonly code: number | null;
  readonly failure: unknown;
  /** What the system throws when a process is to be started; null where it starts one. */
  startError: unknown;
  /** The process that was started as this one, from 0. */
  readonly at: (index: number) => FakeProcess;
  readonly signal: (name: string) => Promise<void>;
  /** Lets the timers pass that wait for so long. */
  readonly pass: (milliseconds: number) => Promise<void>;
}

/** Starts one. */
export function startSupervisor(startError: unknown = null): FakeSupervisor {
  const signals = new EventEmitter();
  const started: FakeProcess[] = [];
  const timers = new Set<Timer>();
  const lines: string[] = [];
  const fields: unknown[] = [];
  const state: { printed: string; code: number | null; failure: unknown; startError: unknown } = {
    printed: "",
    code: null,
    failure: null,
    startError,
  };
  const log = (first: unknown, second?: string): void => {
    lines.push(second ?? String(first));
    fields.push(second === undefined ? {} : first);
  };
  supervise(
    2,
    { DATABASE_URL: "postgres://" },
    { info: log, warn: log, error: log, fatal: log },
    {
      fork(environment) {
        if (state.startError !== null) throw state.startError;
        const { fake, worker } = forkFake(100 + started.length, environment);
        started.push(fake);
        return worker;
      },
      signals,
      print: (text) => (state.printed += text),
      after(milliseconds, work) {
        const timer = { milliseconds, work };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
  ).then(
    (ended) => (state.code = ended),
    (error: unknown) => (state.failure = error),
  );
  return Object.assign(state, {
    started,
    lines,
    fields,
    timers,
    at(index: number) {
      const found = started[index];
      if (found === undefined) throw new Error(`Only ${started.length} processes were started`);
      return found;
    },
    async signal(name: string) {
      signals.emit(name);
      await turn();
    },
    async pass(milliseconds: number) {
      const due = [...timers].filter((timer) => timer.milliseconds === milliseconds);
      for (const timer of due) {
        timers.delete(timer);
        timer.work();
      }
      await turn();
    },
  });
}

/** Lets both processes of a supervisor serve. */
export async function serveBoth({ at }: FakeSupervisor): Promise<void> {
  await at(0).serves();
  await at(1).serves();
}

/** Starts a supervisor whose two processes serve. */
export async function startBoth(): Promise<FakeSupervisor> {
  const supervisor = startSupervisor();
  await serveBoth(supervisor);
  return supervisor;
}

function forkFake(
  pid: number,
  environment: FakeProcess["environment"],
): { readonly fake: FakeProcess; readonly worker: Worker } {
  const worker = new EventEmitter();
  const signals: string[] = [];
  const sent: ToProcess[] = [];
  const connections: unknown[] = [];
  let isConnected = true;
  const forked = Object.assign(new EventEmitter(), {
    pid,
    exitCode: null,
    signalCode: null,
    connected: true,
    kill: (name: string) => void signals.push(name),
    send: (_message: unknown) => true,
  });
  forked.on("internalMessage", (message) => connections.push(message));
  const emit = async (event: string, ...given: readonly unknown[]): Promise<void> => {
    worker.emit(event, ...given);
    await turn();
  };
  const fake: FakeProcess = {
    environment,
    signals,
    sent,
    connections,
    sends: (message) => emit("message", message),
    serves: () => emit("message", { type: "serving", greeting: "hello", endsWithinMs: 65_000 }),
    disconnects() {
      isConnected = false;
    },
    exits(exitCode, signalCode = null) {
      Object.assign(forked, { exitCode, signalCode });
      return emit("exit", exitCode, signalCode);
    },
    fails() {
      Object.assign(forked, { pid: undefined });
      return emit("error", Object.assign(new Error("spawn"), { code: "ENOENT" }));
    },
    reports: (error) => emit("error", error),
    isHanded: (connection) => void forked.send({ act: "newconn", seq: connection }),
    accepts: (connection) => void forked.emit("internalMessage", { ack: connection }),
    closes: () => void forked.emit("close"),
  };
  const send = (message: ToProcess): void => void sent.push(message);
  // What the supervisor uses of a worker, and no more.
  const used = { process: forked, isConnected: () => isConnected, send };
  return { fake, worker: Object.assign(worker, used) as never };
}
