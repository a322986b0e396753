import pino, { type DestinationStream } from "pino";

/** The possible fields of a log line besides level, time and message. None contains an input or an answer. */
export interface LogFields {
  readonly tool?: string | undefined;
  readonly kind?: string | undefined;
  readonly outcome?: string | undefined;
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  /** The id of the request in the gateway's log. */
  readonly requestId?: string | undefined;
  readonly milliseconds?: number | undefined;
}

/** The possible messages of a log line. */
export type LogMessage =
  | "serving"
  | "answered"
  | "failed"
  | "not confirmed"
  | "awaits confirmation"
  | "a message could not be read"
  | "ended immediately; a submission may be in progress"
  | "the process failed";

/** Writes one log line. */
export type Log = (
  level: "info" | "warn" | "fatal",
  message: LogMessage,
  fields?: LogFields,
) => void;

const matchesForm = (form: RegExp) => (value: unknown) =>
  typeof value === "string" && form.test(value);
const isNumber = (value: unknown): boolean =>
  typeof value === "number" && value >= 0 && value < 1e8;

/**
 * The allowed fields, each with a check of the value. The log omits all other fields and writes "?" for a value that
 * fails the check.
 */
const allowedFields: Readonly<Record<keyof LogFields, (value: unknown) => boolean>> = {
  tool: matchesForm(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/),
  kind: matchesForm(/^[a-z]{1,20}$/),
  outcome: matchesForm(/^[a-z_]{1,20}$/),
  code: matchesForm(/^[A-Za-z][A-Za-z_]{1,59}$/),
  status: isNumber,
  // A UUID in the format of RFC 9562.
  requestId: matchesForm(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  milliseconds: isNumber,
};

/** Maximum size of the log's buffer for an MCP client that reads slowly. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/**
 * Creates a log that writes JSON lines with the allowed fields.
 * @param destination - standard error by default, because the protocol uses standard output. Writing never blocks:
 * lines are lost if the MCP client does not read.
 */
export function createLog(
  destination: DestinationStream = pino.destination({
    fd: 2,
    sync: false,
    maxLength: MAX_BUFFERED_BYTES,
  }),
): Log {
  const writer = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return (level, message, fields = {}) => writer[level](onlyAllowed(fields), message);
}

function onlyAllowed(fields: LogFields): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(allowedFields).flatMap(([name, isAllowed]) => {
      const value: unknown = Reflect.get(fields, name);
      return value === undefined ? [] : [[name, isAllowed(value) ? value : "?"]];
    }),
  );
}
