/** Faults that strike a connection rather than one request. */
export type ConnectionFaultName = "refuse" | "accept-and-reset" | "keep-alive-closed";

/** Faults of the bytes on the wire: what comes back is cut, late or nothing. */
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

/** Whole answers made of what the insurer would have said. */
export type AlteredAnswerName = "garbage-success" | "undeclared-success" | "named-but-undeclared";

/** Whole answers that are always the same. */
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
