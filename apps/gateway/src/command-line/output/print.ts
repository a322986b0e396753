import { Option } from "commander";
import { answerText } from "./answer-text.ts";
import { safeJson } from "./safe-text.ts";

/** How an answer is shown: to a person, or to a program. */
export type OutputForm = "table" | "json";

/** The form when nobody says: a table on a terminal, JSON for whatever else reads it. */
export function formOf(given: OutputForm | undefined, isTerminal: boolean): OutputForm {
  return given ?? (isTerminal ? "table" : "json");
}

/** The flag that chooses the form. */
export function outputOption(): Option {
  return new Option(
    "--output <form>",
    "how to show the answer: a table on a terminal, else JSON",
  ).choices(["table", "json"]);
}

/** Writes an answer to standard output. */
export function printAnswer(answer: unknown, given: OutputForm | undefined): void {
  const isTerminal = process.stdout.isTTY;
  const width = isTerminal ? process.stdout.columns : Number.POSITIVE_INFINITY;
  print(formOf(given, isTerminal) === "json" ? safeJson(answer) : answerText(answer, width));
}

/** Writes lines to standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
