import { Option } from "commander";
import { safeJson } from "./safe-text.ts";

/** How an answer is printed: for a person or for a program. */
export type OutputForm = "table" | "json";

/** The default form: a table on a terminal, JSON elsewhere. */
export function formOf(given: OutputForm | undefined, isTerminal: boolean): OutputForm {
  return given ?? (isTerminal ? "table" : "json");
}

/** How wide a table may be, in characters; a terminal that says 0 does not know. */
export function widthOf({ columns, isTTY }: { isTTY?: boolean; columns?: number }): number {
  return isTTY === true ? columns || Number.POSITIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** The flag that chooses the form. */
export function outputOption(): Option {
  return new Option(
    "--output <form>",
    "format of the answer (default: a table on a terminal, JSON elsewhere); json applies to errors as well",
  ).choices(["table", "json"]);
}

/** Standard output could not be written. */
export class OutputError extends Error {
  /** Whether its reader has ended, as `head` does, which does not fail the command. */
  readonly readerGone: boolean;

  constructor({ code = "no reason" }: NodeJS.ErrnoException) {
    super(`standard output cannot be written (${code})`);
    this.readerGone = code === "EPIPE";
  }
}

/**
 * Writes an answer to standard output.
 * @throws OutputError when it cannot be written
 */
export async function printAnswer(
  answer: unknown,
  given: OutputForm | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const isJson = formOf(given, process.stdout.isTTY) === "json";
  await print(isJson ? safeJson(answer) : await tableText(answer), signal);
}

async function tableText(answer: unknown): Promise<string> {
  // A process that serves, or prints JSON, needs no tables in memory.
  const { answerText } = await import("./answer-text.ts");
  return answerText(answer, widthOf(process.stdout));
}

/**
 * Writes lines to standard output.
 * @throws OutputError when they cannot be written
 */
export async function print(text: string, signal?: AbortSignal): Promise<void> {
  await writeOut(`${text}\n`, signal);
}

/**
 * Writes to standard output, and waits until it is written.
 * @param signal - ends the wait for a reader that does not read
 * @throws OutputError when it cannot be written, and the signal's reason
 */
export function writeOut(content: string | Uint8Array, signal?: AbortSignal): Promise<void> {
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
