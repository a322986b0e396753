import pino, { type DestinationStream } from "pino";

/** Everything that a line of the log can say beside its level, time and message: never an input, never an answer. */
export interface LogFields {
  readonly tool?: string | undefined;
  readonly kind?: string | undefined;
  readonly outcome?: string | undefined;
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  /** Names the request in the gateway's log. */
  readonly requestId?: string | undefined;
  readonly milliseconds?: number | undefined;
}

/** Every text that a line of the log can have. */
export type LogMessage =
  | "serving"
  | "answered"
  | "failed"
  | "not confirmed"
  | "awaits confirmation"
  | "a message could not be read"
  | "ended at once; a submission may be under way"
  | "the process failed";

/** Writes one line. */
export type Log = (
  level: "info" | "warn" | "fatal",
  message: LogMessage,
  fields?: LogFields,
) => void;

const word = (form: RegExp) => (value: unknown) => typeof value === "string" && form.test(value);
const number = (value: unknown): boolean => typeof value === "number" && value >= 0 && value < 1e8;

/** The allow-list: what is not in it is not written, and a value of another form is written as "?". */
const forms: Readonly<Record<keyof LogFields, (value: unknown) => boolean>> = {
  tool: word(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/),
  kind: word(/^[a-z]{1,20}$/),
  outcome: word(/^[a-z_]{1,20}$/),
  code: word(/^[A-Za-z][A-Za-z_]{1,59}$/),
  status: number,
  // RFC 9562.
  requestId: word(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  milliseconds: number,
};

/** So much is kept for an MCP client that reads slowly. */
const MOST_UNWRITTEN_BYTES = 1024 * 1024;

/**
 * Makes the log: lines of JSON with the fields of the allow-list and no others.
 * @param destination - standard error when left out, because standard output is the protocol's; an MCP client that does
 *   not read it holds nobody up, and loses lines
 */
export function createLog(
  destination: DestinationStream = pino.destination({
    fd: 2,
    sync: false,
    maxLength: MOST_UNWRITTEN_BYTES,
  }),
): Log {
  const writer = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return (level, message, fields = {}) => writer[level](allowed(fields), message);
}

function allowed(fields: LogFields): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(forms).flatMap(([name, form]) => {
      const value: unknown = Reflect.get(fields, name);
      return value === undefined ? [] : [[name, form(value) ? value : "?"]];
    }),
  );
}
