import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  createReadStream,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("logging-process.ts", import.meta.url));
/** Number of lines that a process logs: more than one write takes, and more than a pipe can hold. */
const LINES = 5_000;
const numbers = Array.from({ length: LINES }, (_, number) => number);
const LOOP_RUNS = ["the event loop runs", undefined];

function makePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "gateway-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "log");
}

function start(end: string, output: number): ChildProcess {
  return fork(program, [String(LINES), end], { stdio: ["ignore", output, "inherit", "ipc"] });
}

/** Returns the lines that a process has written to a file. */
async function writtenToFile(end: string): Promise<string> {
  const path = makePath();
  await once(start(end, openSync(path, "a")), "exit");
  return readFileSync(path, "utf8");
}

/** Number of bytes that a test reads from a pipe at once. */
const PAGE_BYTES = 4_096;

/** A named pipe. Node's `stdio: "pipe"` is a socket, which holds more bytes than a pipe and writes differently. */
interface Pipe {
  readonly path: string;
  /** The file descriptor that processes write to. */
  readonly writer: number;
  /** Reads the pipe slowly, in small pieces, until the processes have ended. */
  pieces(): Readable;
  /** Closes the reading end of the pipe. */
  leave(): void;
}

function makePipe(): Pipe {
  const path = makePath();
  execFileSync("mkfifo", [path]);
  // Without O_NONBLOCK, the reader and the writer would wait for each other.
  const first = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, "w");
  const reader = openSync(path, "r");
  closeSync(first);
  return {
    path,
    writer,
    pieces() {
      closeSync(writer);
      return createReadStream(path, { fd: reader, highWaterMark: PAGE_BYTES });
    },
    leave: () => closeSync(reader),
  };
}

async function writtenToPipe(end: string): Promise<string> {
  const pipe = makePipe();
  start(end, pipe.writer);
  return text(pipe.pieces());
}

/** Checks that each line is complete. Returns the number of each request's line, and the message of each other line. */
function entriesOf(written: string): readonly unknown[] {
  expect(written.endsWith("\n")).toBe(true);
  return written
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ durationMs, msg }) => durationMs ?? msg);
}

describe.each([
  ["a file", writtenToFile],
  ["a pipe", writtenToPipe],
])("the log in %s", (_, written) => {
  it.each([
    ["by itself", numbers],
    ["with process.exit", numbers],
    ["with an uncaught error", [...numbers, "the process failed"]],
  ])(
    "the gateway's log has every line of a process, in the written order, if the process ends %s",
    async (end, expected) => {
      expect(entriesOf(await written(end))).toEqual(expected);
    },
  );
});

describe("a log file", () => {
  it("a log file that cannot be written does not end the process", async () => {
    const path = makePath();
    writeFileSync(path, "");
    const child = start("with process.exit after a message", openSync(path, "r"));
    expect(await once(child, "message")).toEqual(LOOP_RUNS);
    child.send("end");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});

describe("a log pipe", () => {
  it("an unread log pipe does not delay the process, and a later reader of the pipe receives every line", async () => {
    const pipe = makePipe();
    const child = start("with a flush after a message", pipe.writer);
    // At this time the process has logged more than the pipe can hold, and the test has read nothing.
    expect(await once(child, "message")).toEqual(LOOP_RUNS);
    child.send("end");
    expect(entriesOf(await text(pipe.pieces()))).toEqual(numbers);
  });

  it.each(["with process.exit after a message", "with a flush after a message"])(
    "a log pipe without a reader does not prevent a process from ending %s",
    async (end) => {
      const pipe = makePipe();
      pipe.leave();
      const child = start(end, pipe.writer);
      await once(child, "message");
      child.send("end");
      expect(await once(child, "exit")).toEqual([0, null]);
      closeSync(pipe.writer);
    },
  );
});
