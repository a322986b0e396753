import {
  type GatewayError,
  type Outcome,
  OutcomeUnknownError,
  ProblemError,
  RequestInvalidError,
  ResponseInvalidError,
  type RetryAdvice,
} from "@insurance-gateway/core";
import { type CodeFacts, problemCodes } from "@insurance-gateway/core/problems";
import { safeText } from "../output/safe-text.ts";
import { faultLines } from "./faults.ts";
import type { CallFlag } from "./flags.ts";

/** What is known of a call beside its error. */
export interface FailedCall {
  readonly flags: readonly CallFlag[];
  /** The command that makes the call again with an idempotency key; null for what is no submission. */
  readonly again: ((idempotencyKey: string) => string) | null;
  /** What to do about a connection that cannot be made, or a token that is refused. */
  readonly hints: Readonly<Record<string, string>>;
}

type Row = readonly [name: string, lines: readonly string[]];

/** Tells a person what happened, whether the insurer acted and what to do next. No value that was sent is in it. */
export function failureText(error: GatewayError, call: FailedCall): string {
  const rows: readonly Row[] = [
    ["what happened", [wordsOf(error)]],
    ["at fault", faultsOf(error, call.flags)],
    ["the insurer", [insurerWords(error)]],
    ["its reference", ProblemError.isInstance(error) ? [error.reference ?? ""] : []],
    ["key", OutcomeUnknownError.isInstance(error) ? [error.idempotencyKey] : []],
    ["what to do", adviceOf(error, call)],
    ["request id", [error.requestId ?? ""]],
  ];
  const lines = rows.flatMap(([name, texts]) =>
    texts
      .filter(Boolean)
      .map((text, index) => `  ${(index === 0 ? name : "").padEnd(15)}${safeText(text)}`),
  );
  return [`error: ${safeText(titleOf(error))}`, ...lines].join("\n");
}

function titleOf(error: GatewayError): string {
  const { code } = error;
  const known: Readonly<Record<string, CodeFacts>> = problemCodes;
  const status = "status" in error && typeof error.status === "number" ? ` (${error.status})` : "";
  return `${code}${status}${known[code] === undefined ? "" : `: ${known[code].title}`}`;
}

/** The message without the place and the code before it, and without the faults behind it. */
function wordsOf(error: GatewayError): string {
  const { code, message } = OutcomeUnknownError.isInstance(error) ? error.cause : error;
  const words = message
    .slice(message.indexOf(`${code}. `) + code.length + 2)
    // The client's option is this flag here.
    .replace("`timeout`", "--timeout");
  if (!ProblemError.isInstance(error)) return words;
  const faults = error.errors
    .map(({ message: fault, pointer }) => ` ${pointer} ${fault}.`)
    .join("");
  return faults !== "" && words.endsWith(faults) ? words.slice(0, -faults.length) : words;
}

function faultsOf(error: GatewayError, flags: readonly CallFlag[]): readonly string[] {
  if (ProblemError.isInstance(error) || RequestInvalidError.isInstance(error))
    return faultLines(error.errors, flags);
  // These are the answer's, which has no flags.
  return ResponseInvalidError.isInstance(error)
    ? error.errors.map(({ message, pointer }) => `${pointer || "the answer"} ${message}`)
    : [];
}

function insurerWords(error: GatewayError): string {
  const acts = OutcomeUnknownError.isInstance(error) || error.outcome !== "unknown";
  return acts
    ? `${outcomes[error.outcome]} (${error.outcome})`
    : `may have been asked; the call changes nothing there (${error.outcome})`;
}

const outcomes: Readonly<Record<Outcome, string>> = {
  not_sent: "got nothing",
  rejected: "refused it",
  unknown: "may have acted",
  executed: "acted, and its answer cannot be used",
};

function adviceOf(error: GatewayError, { again, hints }: FailedCall): readonly string[] {
  const { code, outcome } = error;
  const seconds = "retryAfterSeconds" in error ? error.retryAfterSeconds : null;
  const when = typeof seconds === "number" ? ` after ${seconds} s` : "";
  if (OutcomeUnknownError.isInstance(error)) {
    const { idempotencyKey, retry, submissionId } = error;
    return [
      ...(submissionId === null
        ? []
        : [
            "ask the gateway what became of it:",
            `  insurance-gateway submissions ask ${submissionId}`,
          ]),
      `${submissionId === null ? "" : "or "}${retry === "after_lookup" ? "find out why, then " : ""}send it again${when} with the same key, which never acts twice:`,
      `  ${again?.(idempotencyKey) ?? ""}`,
    ];
  }
  const advice = outcome === "executed" ? advices.executed : advices[error.retry];
  // An answer that was lost is another matter than a gateway that cannot be reached.
  const hint = outcome === "not_sent" ? hints[code] : undefined;
  return [hint ?? `${advice}${error.retry === "safe" ? when : ""}`];
}

const advices: Readonly<Record<RetryAdvice | "executed", string>> = {
  safe: "run it again",
  same_key: "run it again with the same --idempotency-key",
  after_lookup: "find out first whether the insurer has it",
  never: "correct it; the same again ends the same way",
  executed: "never send it again; the insurer knows it by its reference",
};
