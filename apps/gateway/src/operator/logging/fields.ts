import type { Outcome } from "@insurance-gateway/core";
import { problemCodes } from "@insurance-gateway/core/problems";
import { http } from "../../node-http.ts";
import { ERROR_NAME, type LoggedFailure, STACK_LINE } from "./failure.ts";

/** Reports whether a value has the form that its log field allows. */
type FieldForm = (value: unknown) => boolean;

/** Returns the form that allows only texts that match the pattern. */
function textForm(pattern: RegExp): FieldForm {
  return (value) => typeof value === "string" && pattern.test(value);
}

/** Returns the form that allows only the given words. */
function oneOf(words: Iterable<string>): FieldForm {
  const known = new Set<unknown>(words);
  return (value) => known.has(value);
}

/** A number from 0 with at most eight digits, so that it cannot be a tax number. */
const amountForm: FieldForm = (value) =>
  typeof value === "number" && value >= 0 && value <= 99_999_999;

/** The name of an operator, an IP address, or both. */
const authorForm: FieldForm = textForm(/^[\w .@:-]{0,64}(?: ?\([0-9a-fA-F.:]{1,45}\))?$/);

const flagForm: FieldForm = (value) => typeof value === "boolean";

/** Returns the form that allows only lists whose values have the given form. */
function listOf(form: FieldForm): FieldForm {
  return (value) => Array.isArray(value) && value.every(form);
}

/** A UUID (RFC 9562). */
const uuidForm: FieldForm = textForm(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** The details of an unavailable store: error codes of the database, or fixed words from src/store. */
const storeDetailForm: FieldForm = textForm(
  /^(?:[A-Z][A-Z0-9_]{2,39}|[0-9A-Z]{5}|SQLITE_[A-Z]{2,20}(?: E[A-Z]{2,15})?|SQLite result \w{1,9}|the files were removed, replaced, overwritten or linked|timeout|closed|unknown|connection lost|the thread has ended|the thread failed: [A-Za-z]\w{0,63})$/,
);

/** An error's class, the details of an unavailable store, or an error's class with its places. */
const failureForm: FieldForm = (value) => {
  if (typeof value === "string") return ERROR_NAME.test(value) || storeDetailForm(value);
  if (typeof value !== "object" || value === null) return false;
  const { kind, places = [], ...rest }: { kind?: unknown; places?: unknown } = value;
  return (
    Object.keys(rest).length === 0 &&
    typeof kind === "string" &&
    ERROR_NAME.test(kind) &&
    Array.isArray(places) &&
    places.every((place) => typeof place === "string" && STACK_LINE.test(place))
  );
};

const scheduledTasks = [
  "writing endings",
  "leases",
  "running time",
  "forgetting",
  "store",
  "accounts",
] as const;

const submissionStates = [
  "in_flight",
  "succeeded",
  "failed",
  "outcome_unknown",
  "needs_review",
] as const;
const differenceKinds = ["missing", "added", "type", "enum", "null", "format"] as const;
const accountActions = ["added", "changed", "removed"] as const;

/** The scheduled tasks in the log. The reconciliation of each provider's segment is a separate task. */
export type ScheduledTask = (typeof scheduledTasks)[number] | `reconciliation of ${string}`;

/** All fields of a log line, besides the level, the time and the message. */
export interface LogFields {
  readonly requestId?: string | null;
  readonly submissionId?: string | null;
  readonly traceId?: string | null;
  readonly caller?: string | null;
  readonly issuer?: string | null;
  readonly method?: string | null;
  readonly route?: string | null;
  readonly provider?: string | null;
  readonly segment?: string | null | undefined;
  readonly account?: string | null | undefined;
  readonly endpoint?: string | null;
  readonly status?: number | null;
  readonly code?: string | null;
  readonly outcome?: string | null;
  readonly reason?: string | null;
  readonly callerGone?: boolean | null;
  readonly durationMs?: number | null;
  readonly skipped?: number;
  readonly insurerMs?: number | null;
  readonly failure?: LoggedFailure | string | null;
  readonly detail?: string | null;
  readonly state?: (typeof submissionStates)[number] | null;
  readonly answeredState?: (typeof submissionStates)[number] | null;
  readonly task?: ScheduledTask | null;
  readonly submissions?: number | null;
  readonly keys?: readonly string[];
  readonly fields?: readonly string[];
  readonly difference?: (typeof differenceKinds)[number];
  readonly breaking?: boolean;
  readonly faults?: readonly string[];
  readonly seconds?: number;
  readonly action?: (typeof accountActions)[number];
  readonly by?: string;
}

/** A field of the log, with a description and the form of the field's values. */
export interface LogField {
  readonly is: string;
  readonly form: FieldForm;
  /**
   * `few` if the field has few different values, such as declared names, so that the logger checks and formats each
   * value only once. `ids` if the form allows only hexadecimal digits and dashes, which need no filter and no escapes.
   */
  readonly values?: "few" | "ids";
}

const SEGMENT_PATTERN = "[A-Za-z0-9][A-Za-z0-9._~-]{0,99}";
const segmentForm: FieldForm = textForm(new RegExp(`^${SEGMENT_PATTERN}$`));
const outcomes: Readonly<Record<Outcome, true>> = {
  not_sent: true,
  rejected: true,
  unknown: true,
  executed: true,
};
const stateForm: FieldForm = oneOf(submissionStates);

/** The pattern of a configuration key, such as `providers[2].timeouts.totalMs`. */
const KEY_PATTERN = "[$A-Za-z]\\w{0,63}(?:\\.[A-Za-z]\\w{0,63}|\\[\\d{1,5}\\]){0,20}";
const keyForm: FieldForm = textForm(new RegExp(`^${KEY_PATTERN}$`));
/** A fault of the configuration: a key and the fault's text, or a fault of the whole file. */
const faultForm: FieldForm = textForm(
  new RegExp(
    `^(?:(?:${KEY_PATTERN}|[A-Z_]{1,64} \\(environment\\)|\\(the whole file\\)): [^\\p{C}]{1,400}|(?:the (?:file|configuration|inspector)|GATEWAY_CONFIG|--) ?[ -~]{1,200})$`,
    "u",
  ),
);

/**
 * The allowed fields of the log. The logger omits all other fields, and writes "?" for a value with a wrong form.
 */
export const logFields: Readonly<Record<keyof LogFields, LogField>> = {
  requestId: {
    is: "the id of the request, which its caller receives as well",
    form: uuidForm,
    values: "ids",
  },
  submissionId: {
    is: "the id of the submission, which its caller receives as well",
    form: uuidForm,
    values: "ids",
  },
  traceId: {
    is: "the id of the caller's trace, or of a new trace (W3C Trace Context)",
    form: textForm(/^[0-9a-f]{32}$/),
    values: "ids",
  },
  caller: {
    is: "a keyed pseudonym of the caller, as `insurance-gateway submissions show` prints it",
    form: textForm(/^[0-9a-f]{16}$/),
    values: "ids",
  },
  method: { is: "the method of the request", form: oneOf(http.METHODS), values: "few" },
  route: {
    is: "the template of the path, without its values",
    form: textForm(/^(?:\/[A-Za-z0-9._~{}-]{1,100}){1,20}$/),
    values: "few",
  },
  provider: { is: "the provider's id", form: segmentForm, values: "few" },
  segment: {
    is: "the provider's path segment, if it differs from the provider's id",
    form: segmentForm,
    values: "few",
  },
  account: {
    is: "the account whose credentials the gateway uses",
    form: textForm(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  },
  endpoint: {
    is: "the endpoint's name in its provider",
    form: textForm(/^[A-Za-z][A-Za-z0-9]{0,99}$/),
    values: "few",
  },
  issuer: {
    is: "a configured issuer of tokens",
    form: textForm(/^[A-Za-z0-9][A-Za-z0-9.:_~/-]{0,299}$/),
  },
  status: {
    is: "the status of the answer",
    form: (value) => amountForm(value) && Number.isInteger(value),
  },
  code: { is: "the code of the problem", form: oneOf(Object.keys(problemCodes)), values: "few" },
  outcome: {
    is: "the outcome in the problem",
    form: oneOf(Object.keys(outcomes)),
    values: "few",
  },
  reason: {
    is: "the reason for a refusal, which the caller does not receive",
    form: textForm(/^[a-z][a-z_]{1,39}$/),
    values: "few",
  },
  callerGone: {
    is: "true if the caller disconnected before the answer was sent",
    form: flagForm,
    values: "few",
  },
  durationMs: { is: "the time from arrival to the sent answer, in milliseconds", form: amountForm },
  insurerMs: {
    is: "the part of durationMs in which the gateway waited for insurers, in milliseconds",
    form: amountForm,
  },
  skipped: {
    is: "the number of lines about the same refusal that the log omitted before this line",
    form: amountForm,
  },
  failure: { is: "an internal error: its class and its places in the code", form: failureForm },
  detail: { is: "the details of an unavailable store", form: storeDetailForm },
  state: { is: "the state of a submission", form: stateForm },
  answeredState: { is: "the state that the insurer's answer proves", form: stateForm },
  task: {
    is: "the scheduled task",
    form: textForm(
      new RegExp(`^(?:${scheduledTasks.join("|")}|reconciliation of ${SEGMENT_PATTERN})$`),
    ),
  },
  submissions: { is: "the number of submissions", form: amountForm },
  keys: {
    is: "the changed keys of the configuration, without their values",
    form: listOf(keyForm),
  },
  fields: {
    is: "the fields in which an insurer's answer differs from its call or declaration, without their values",
    form: listOf(textForm(/^(?:\/(?:\*|[A-Za-z_][\w-]{0,63})){1,20}$/)),
  },
  difference: {
    is: "the kind of difference between an insurer's answer and its declaration in these fields",
    form: oneOf(differenceKinds),
  },
  breaking: { is: "true if the gateway cannot use an answer with this difference", form: flagForm },
  action: {
    is: "the operator's change of an account",
    form: oneOf(accountActions),
  },
  by: {
    is: "the author of the change: the operator's name and the request's address",
    form: authorForm,
  },
  seconds: { is: "the error of a clock, in seconds", form: amountForm },
  faults: { is: "the faults of the configuration, without its values", form: listOf(faultForm) },
};
