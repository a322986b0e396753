import type { Outcome } from "@insurance-gateway/core";

/** The exit code of a failed call, by its outcome. */
export const exitCodeByOutcome: Readonly<Record<Outcome, number>> = {
  not_sent: 1,
  rejected: 3,
  unknown: 4,
  executed: 5,
};

/** Exit code of a failure that has no other exit code. */
export const EXIT_FAILED = 1;

/** Exit code if the command line is invalid. The command then did nothing. */
export const EXIT_USAGE = 2;

/** Exit code if insurers' answers differ from the endpoints' declarations in a breaking way. */
export const EXIT_DRIFT = 6;

/** Exit code if no gateway answered, or if no gateway reconciles the submission: EX_UNAVAILABLE of sysexits.h. */
export const EXIT_UNANSWERED = 69;

/** Exit code of an unusable configuration or store, which a restart cannot repair: EX_CONFIG of sysexits.h. */
export const EXIT_CONFIGURATION = 78;

/** The meaning of each exit code, for the help and the documents. */
const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [0, "success, or the gateway stopped as requested"],
  [EXIT_FAILED, "failure; for a call: the insurer received nothing"],
  [EXIT_USAGE, "the command line or the input is invalid; the command sent nothing"],
  [exitCodeByOutcome.rejected, "the insurer rejected the call"],
  [exitCodeByOutcome.unknown, "outcome unknown: the insurer may have carried out a submission"],
  [exitCodeByOutcome.executed, "the insurer acted, but its answer cannot be used or written"],
  [EXIT_DRIFT, "drift: answers of an insurer do not match their declaration"],
  [
    EXIT_UNANSWERED,
    "submissions ask: no gateway answered; submissions reconcile: no gateway serves the provider; nothing was changed",
  ],
  [EXIT_CONFIGURATION, "the configuration or the store cannot be used"],
];

/** The section of a help text that explains the exit codes. */
export const exitCodesHelp: string = [
  "Exit codes:",
  ...exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(4)}${meaning}`),
].join("\n");
