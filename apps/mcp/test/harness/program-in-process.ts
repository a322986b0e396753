import { PassThrough } from "node:stream";
import { onTestFinished, vi } from "vitest";
import * as logging from "../../src/log.ts";

/** The program in the test's process, with separate standard streams. */
export interface ProgramInProcess {
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** Returns the text written to standard output. */
  readonly stdout: () => string;
  /** Returns the text written to standard error, without the log. */
  readonly stderr: () => string;
  /** The log lines: level, message and fields. */
  readonly logged: readonly (readonly unknown[])[];
  /**
   * The exit codes with which the program called `process.exit`. In the test's process the program continues after
   * `process.exit`.
   */
  readonly exitCodes: readonly number[];
  /** Resolves when the program first calls `process.exit`. */
  readonly ended: Promise<void>;
  /** Returns the program's listener for a signal or a fatal error. */
  readonly listener: (event: string) => (argument?: unknown) => void;
}

/** The options of a program start. */
export interface ProgramStart {
  readonly parameters?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

/** The number of starts. The program's module runs when it is imported, so each start imports it under a new URL. */
const loaded = { count: 0 };

const events = ["SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection"];

/**
 * Starts the program from its sources, because a new process takes much longer. Until the end of the test, this process
 * has the program's streams, environment and working folder. Two programs must not overlap.
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
      .listeners(event as "SIGINT") // The types know only signals, but fatal errors have listeners, too.
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
      return first as (argument?: unknown) => void; // A fatal error takes the place of a signal's name.
    },
  };
}

/** Replaces a property of `process` and returns a function that restores it. */
function replace(name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name) ?? {};
  Object.defineProperty(process, name, { value, configurable: true, writable: true });
  return () => void Object.defineProperty(process, name, before);
}
