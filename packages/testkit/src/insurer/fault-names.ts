/** Faults that affect a connection and not a single request. */
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

/** Faults that change the insurer's answer; the changed answer is complete. */
export type AlteredAnswerName = "garbage-success" | "undeclared-success" | "named-but-undeclared";

/** Faults that send a complete answer, the same for every request. */
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

/** All faults of a fault-injecting insurer. */
export type FaultName = ConnectionFaultName | WireFaultName | AlteredAnswerName | FixedAnswerName;
