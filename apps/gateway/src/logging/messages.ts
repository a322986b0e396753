/** Every text that a line of the log can have. */
export const messages = [
  "request",
  "failed",
  "the outcome of a submission is unknown",
  "the store has lost a submission; it is written again",
  "an insurer answered with the identifier of another submission",
  "a submission was settled otherwise before its insurer answered",
  "a submission was settled before its insurer's answer could be written",
  "submissions lost their process",
  "reconciliation settled a submission",
  "a reconciliation query failed",
  "a submission needs a person to look",
  "the store is not available",
  "the store cannot be reached; submissions are refused until it can",
  "the store can be reached again; submissions are taken",
  "the store cannot be used; start the gateway again to see why",
  "housekeeping fails",
  "housekeeping works again",
  "an issuer's keys cannot be fetched",
  "a key of an issuer is too weak",
  "an insurer's token cannot be fetched",
  "an insurer refuses the credentials of a connection",
  "an insurer takes the credentials of a connection again",
  "a caller searches for unusually many customers",
  "an operations page failed",
  "the process failed",
] as const;

/** One of them. */
export type Message = (typeof messages)[number];
