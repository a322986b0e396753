import type { Outcome } from "@insurance-gateway/core";

/** The exit code of a failed call, by its outcome. */
export const exitCodeOf: Readonly<Record<Outcome, number>> = {
  not_sent: 1,
  rejected: 3,
  unknown: 4,
  executed: 5,
};

/** A failure that has no other exit code. */
export const EXIT_FAILED = 1;

/** The command line is invalid, so the command did nothing. */
export const EXIT_USAGE = 2;

/** An insurer's answers break their declaration. */
export const EXIT_DRIFT = 6;

/** EX_UNAVAILABLE of sysexits.h: no gateway answered with the state of the submission. */
export const EXIT_UNANSWERED = 69;

/** EX_CONFIG of sysexits.h: a new start fails in the same way until the configuration or the store is corrected. */
export const EXIT_CONFIGURATION = 78;

/** The meaning of each code, for the help and the documents. */
const meanings: readonly (readonly [code: number, meaning: string])[] = [
  [0, "success, or the gateway stopped as requested"],
  [EXIT_FAILED, "failure; for a call: the insurer received nothing"],
  [EXIT_USAGE, "the command line or the input is invalid; the command sent nothing"],
  [exitCodeOf.rejected, "the insurer rejected the call"],
  [exitCodeOf.unknown, "outcome unknown: the insurer may have carried out a submission"],
  [exitCodeOf.executed, "the insurer acted, but its answer cannot be used or written"],
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
  ...meanings.map(([code, meaning]) => `  ${String(code).padEnd(4)}${meaning}`),
].join("\n");
