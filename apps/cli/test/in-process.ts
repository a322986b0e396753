import { Readable } from "node:stream";
import { type MockInstance, vi } from "vitest";
import type { Place, Run, RunOptions } from "./program.ts";

/** The options of a run in the test's own process. */
export interface InProcessOptions extends Omit<RunOptions, "input" | "started"> {
  readonly input?: string | Uint8Array;
  /** True if standard output and standard error are a terminal. */
  readonly terminal?: boolean;
  /** The error of each write to standard output. Default: no error. */
  readonly outputError?: NodeJS.ErrnoException;
  /** Called for each write to standard output. With this option, no write completes. */
  readonly unread?: () => void;
  /** Receives each text that is written to standard error. */
  readonly reported?: (text: string) => void;
  /** Receives each text that is written to standard output. */
  readonly printed?: (text: string) => void;
}

/** Runs a command line in the test's own process, and waits for the end. */
export type RunInProcess = (
  parameters: readonly string[],
  options?: InProcessOptions,
) => ReturnType<Run>;

/**
 * The number of loads of the program: the program's module runs a command line on load, and an import from a new URL
 * loads the module again.
 */
const loaded = { count: 0 };

/**
 * Creates a function that runs command lines in a folder. The program runs from its sources in this process, because
 * starting a process takes thirty times as long. During a run, this process has the standard streams, the environment
 * and the working folder of the run. Two runs must not overlap in time.
 */
export function runsInProcess({ address, folder }: Place): RunInProcess {
  return async (parameters, options = {}) => {
    const { environment = {}, input = "", terminal = false } = options;
    const { argv, env, exitCode } = process;
    const [cwd, umask] = [process.cwd(), process.umask()];
    const output = { stdout: "", stderr: "" };
    const take = (stream: "stderr" | "stdout"): MockInstance =>
      vi.spyOn(process[stream], "write").mockImplementation((chunk, ...more): boolean => {
        const error = stream === "stdout" ? options.outputError : undefined;
        const text = Buffer.from(chunk).toString();
        if (error === undefined) output[stream] += text;
        if (stream === "stderr") options.reported?.(text);
        else options.printed?.(text);
        if (stream === "stdout" && options.unread !== undefined) {
          options.unread();
          return false;
        }
        for (const done of more) if (typeof done === "function") queueMicrotask(() => done(error));
        return true;
      });
    const ended = Promise.withResolvers<void>();
    const mocks = [take("stdout"), take("stderr")];
    const undo = [
      replace(process, "stdin", Readable.from([Buffer.from(input)])),
      replace(process, "exit", () => ended.resolve()),
      ...(["stdout", "stderr"] as const).flatMap((name) => [
        replace(process[name], "isTTY", terminal),
        keepListeners(process[name]),
      ]),
    ];
    process.chdir(folder);
    process.argv = [process.execPath, "insurance-gateway", ...parameters];
    process.env = { PATH: env.PATH, GATEWAY_URL: address, ...environment };
    process.exitCode = undefined;
    try {
      loaded.count += 1;
      const run = import(/* @vite-ignore */ `../src/main.ts?run=${loaded.count}`);
      await Promise.race([run, ended.promise]);
      return { code: Number(Reflect.get(process, "exitCode") ?? 0), signal: null, ...output };
    } finally {
      for (const mock of mocks) mock.mockRestore();
      for (const each of undo) each();
      Object.assign(process, { argv, env, exitCode });
      process.chdir(cwd);
      process.umask(umask);
    }
  };
}

/** Replaces the value of a property; the returned function restores the previous value. */
function replace(object: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, configurable: true, writable: true });
  return () => {
    if (before === undefined) Reflect.deleteProperty(object, name);
    else Object.defineProperty(object, name, before);
  };
}

/** Returns a function that removes the error listeners that were added to a stream after this call. */
function keepListeners(stream: NodeJS.WriteStream): () => void {
  const before = new Set(stream.listeners("error"));
  return () => {
    // Node's types declare a listener only as a function, because a listener's parameters depend on the event.
    for (const listener of stream.listeners("error"))
      if (!before.has(listener)) stream.off("error", listener as () => void);
  };
}
