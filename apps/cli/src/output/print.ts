import { Option } from "commander";
import { safeJson } from "./safe-text.ts";

/** The format of an answer: a table for a person, or JSON for a program. */
export type OutputForm = "table" | "json";

/** Returns the format that the flag names. Default: a table on a terminal, JSON elsewhere. */
export function outputFormOf(given: OutputForm | undefined, isTerminal: boolean): OutputForm {
  return given ?? (isTerminal ? "table" : "json");
}

/** Returns the maximum width of a table in characters. A terminal that reports the width 0 does not know its width. */
export function maxTableWidth({ columns, isTTY }: { isTTY?: boolean; columns?: number }): number {
  return isTTY === true ? columns || Number.POSITIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Creates the flag for the format of an answer. */
export function outputOption(): Option {
  return new Option(
    "--output <form>",
    "format of the answer (default: a table on a terminal, JSON elsewhere); json applies to errors as well",
  ).choices(["table", "json"]);
}

/** The error that is thrown if standard output cannot be written. */
export class OutputError extends Error {
  /**
   * True if the reader of standard output has stopped reading, as `head` does, which is not a failure of the command.
   */
  readonly readerGone: boolean;

  constructor({ code = "no reason" }: NodeJS.ErrnoException) {
    super(`standard output cannot be written (${code})`);
    this.readerGone = code === "EPIPE";
  }
}

/**
 * Writes an answer to standard output.
 * @throws OutputError if the answer cannot be written
 */
export async function printAnswer(
  answer: unknown,
  given: OutputForm | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const isJson = outputFormOf(given, process.stdout.isTTY) === "json";
  await print(isJson ? safeJson(answer) : await tableText(answer), signal);
}

async function tableText(answer: unknown): Promise<string> {
  // Do not load the code for tables into a process that serves or prints JSON.
  const { answerText } = await import("./answer-text.ts");
  return answerText(answer, maxTableWidth(process.stdout));
}

/**
 * Writes lines to standard output.
 * @throws OutputError if the lines cannot be written
 */
export async function print(text: string, signal?: AbortSignal): Promise<void> {
  await writeToOutput(`${text}\n`, signal);
}

/**
 * Writes to standard output, and waits until everything is written.
 * @param signal - ends the wait for a reader that has stopped reading
 * @throws OutputError if the content cannot be written; the signal's reason if the signal is aborted
 */
export function writeToOutput(content: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const giveUp = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", giveUp, { once: true });
    process.stdout.write(content, (error) => {
      signal?.removeEventListener("abort", giveUp);
      if (error == null) resolve();
      else reject(new OutputError(error));
    });
  });
}
