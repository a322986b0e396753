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
/** More than one write takes, and more than a pipe holds. */
const LINES = 5_000;
const numbers = Array.from({ length: LINES }, (_, number) => number);
const LOOP_GOES_ON = ["its event loop goes on", undefined];

function makePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "gateway-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "log");
}

function start(end: string, output: number): ChildProcess {
  return fork(program, [String(LINES), end], { stdio: ["ignore", output, "inherit", "ipc"] });
}

/** Returns the lines that a process has written to a file when it has ended. */
async function writtenToFile(end: string): Promise<string> {
  const path = makePath();
  await once(start(end, openSync(path, "a")), "exit");
  return readFileSync(path, "utf8");
}

/** As much as a pipe is read at once here. */
const PAGE_BYTES = 4_096;

/** The system's own pipe; that of Node's `stdio: "pipe"` is a socket, which holds more and writes otherwise. */
interface Pipe {
  readonly path: string;
  /** For the processes that write. */
  readonly writer: number;
  /** Reads it slowly, in small pieces, to its end: until the processes have ended. */
  pieces(): Readable;
  /** Closes it for reading. */
  leave(): void;
}

function makePipe(): Pipe {
  const path = makePath();
  execFileSync("mkfifo", [path]);
  // Without O_NONBLOCK, each of the two would wait for the other.
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

/** The numbers of the requests in whole lines, and the other messages. */
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
])("the log on %s", (_, written) => {
  it.each([
    ["by itself", numbers],
    ["with process.exit", numbers],
    ["with an uncaught error", [...numbers, "the process failed"]],
  ])("has every line, whole and in order, of a process that ends %s", async (end, expected) => {
    expect(entriesOf(await written(end))).toEqual(expected);
  });
});

describe("a file", () => {
  it("a file that cannot be written does not end the process", async () => {
    const path = makePath();
    writeFileSync(path, "");
    const child = start("with process.exit when it is asked to", openSync(path, "r"));
    expect(await once(child, "message")).toEqual(LOOP_GOES_ON);
    child.send("end");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});

describe("a pipe", () => {
  it("an unread pipe does not delay the process, and has every line of an orderly end for a later reader", async () => {
    const pipe = makePipe();
    const child = start("in order when it is asked to", pipe.writer);
    // By then more is written than the pipe holds, and nobody has read it.
    expect(await once(child, "message")).toEqual(LOOP_GOES_ON);
    child.send("end");
    expect(entriesOf(await text(pipe.pieces()))).toEqual(numbers);
  });

  it.each(["with process.exit when it is asked to", "in order when it is asked to"])(
    "a pipe without a reader does not prevent the process from ending %s",
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
