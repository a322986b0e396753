/** Faults of a connection instead of one request. */
export type ConnectionFaultName = "refuse" | "accept-and-reset" | "keep-alive-closed";

/** Faults of the transferred bytes: the answer is cut off, late or missing. */
export type WireFaultName =
  | "silence"
  | "reset-after-request"
  | "execute-then-reset"
  | "reset-within-headers"
  | "half-body"
  | "wrong-length"
  | "chunked-cut"
  | "slow-drip"
  | "late-answer";

/** Complete answers that change the insurer's. */
export type AlteredAnswerName = "garbage-success" | "undeclared-success" | "named-but-undeclared";

/** Complete answers that are always the same. */
export type FixedAnswerName =
  | "html-success"
  | "not-a-pdf"
  | "redirect"
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "conflict"
  | "unprocessable"
  | "rejected"
  | "duplicate"
  | "broker-limit"
  | "busy"
  | "bare-429"
  | "server-error"
  | "html-error"
  | "execute-then-504"
  | "unavailable"
  | "bare-503";

/** Everything that a fault-injecting insurer can do wrong. */
export type FaultName = ConnectionFaultName | WireFaultName | AlteredAnswerName | FixedAnswerName;
