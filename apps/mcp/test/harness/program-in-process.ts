import { PassThrough } from "node:stream";
import { onTestFinished, vi } from "vitest";
import * as logging from "../../src/log.ts";

/** The program in the test's own process, with standard streams of its own. */
export interface ProgramInProcess {
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** Returns the text on standard output until now. */
  readonly stdout: () => string;
  /** Returns the text on standard error, without the log. */
  readonly stderr: () => string;
  /** Each line of the log: its level, message and fields. */
  readonly logged: readonly (readonly unknown[])[];
  /** The exit codes with which the program ended itself; unlike a process of its own, it continues. */
  readonly exitCodes: readonly number[];
  /** Resolves when it ends itself for the first time. */
  readonly ended: Promise<void>;
  /** Returns the program's reaction to a signal or a fatal error. */
  readonly listener: (event: string) => (argument?: unknown) => void;
}

/** The start of the program. */
export interface ProgramStart {
  readonly parameters?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

/** How often the program was loaded: its module runs when it is loaded, and a new address loads it again. */
const loaded = { count: 0 };

const events = ["SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection"];

/**
 * Starts the program from its sources, as the start of a process takes much longer. Until the end of the test, the
 * process has the streams, the environment and the working folder of the program. Two programs must not overlap.
 */
export async function startProgram(start: ProgramStart = {}): Promise<ProgramInProcess> {
  const { environment = { GATEWAY_TOKEN: "t" }, folder = process.cwd(), parameters = [] } = start;
  const [input, output] = [new PassThrough(), new PassThrough()];
  const [written, errors] = [[""], [""]];
  const logged: (readonly unknown[])[] = [];
  const exitCodes: number[] = [];
  const ended = Promise.withResolvers<void>();
  output.on("data", (chunk) => written.push(String(chunk)));
  const { argv, env } = process;
  const cwd = process.cwd();
  const before = new Map(events.map((event) => [event, process.listeners(event as "SIGINT")]));
  const added = (event: string): NodeJS.SignalsListener[] =>
    process
      .listeners(event as "SIGINT") // The types name signals only; fatal errors have listeners, too.
      .filter((listener) => before.get(event)?.includes(listener) !== true);
  const mocks = [
    vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
      errors.push(Buffer.from(chunk).toString());
      return true;
    }),
    vi.spyOn(logging, "createLog").mockImplementation(
      () =>
        (...line) =>
          void logged.push(line),
    ),
  ];
  const undo = [
    replace("stdin", input),
    replace("stdout", output),
    replace("exit", (code: number) => {
      exitCodes.push(code);
      ended.resolve();
    }),
  ];
  onTestFinished(() => {
    for (const event of events) for (const listener of added(event)) process.off(event, listener);
    for (const mock of mocks) mock.mockRestore();
    for (const each of undo) each();
    Object.assign(process, { argv, env });
    process.chdir(cwd);
  });
  process.chdir(folder);
  process.argv = [process.execPath, "insurance-gateway-mcp", ...parameters];
  process.env = { PATH: env.PATH, ...environment };
  loaded.count += 1;
  const serving = import(/* @vite-ignore */ `../../src/main.ts?run=${loaded.count}`);
  void serving.catch(ended.reject);
  return {
    input,
    output,
    stdout: () => written.join(""),
    stderr: () => errors.join(""),
    logged,
    exitCodes,
    ended: ended.promise,
    listener: (event) => {
      const [first] = added(event);
      if (first === undefined) throw new TypeError(`The program does not listen to ${event}`);
      return first as (argument?: unknown) => void; // A fatal error is passed where a signal's name would be.
    },
  };
}

/** Gives a property of the process another value; the result restores it. */
function replace(name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name) ?? {};
  Object.defineProperty(process, name, { value, configurable: true, writable: true });
  return () => void Object.defineProperty(process, name, before);
}
