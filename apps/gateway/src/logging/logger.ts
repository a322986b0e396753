import pino, { type DestinationStream } from "pino";
import { type LogField, type LogFields, logFields } from "./fields.ts";
import { type Message, messages } from "./messages.ts";
import { scrub } from "./scrub.ts";

/** Writes one line, of a message and of fields that are in the allow-list. */
export interface Log {
  (message: Message): void;
  (fields: LogFields, message: Message): void;
}

/** The gateway's log. */
export interface Logger {
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
  readonly fatal: Log;
}

/** How many bytes are buffered for a slow reader. */
const MOST_UNWRITTEN_BYTES = 16 * 1024 * 1024;
/** Replaces a value that does not have its field's form. */
const NOT_OF_THE_FORM = "?";

/**
 * Makes the log: lines of JSON that have the fields of the allow-list and no others, whatever it is given. What was
 * left out is counted in `dropped`.
 * @param destination - standard output when left out; a slow reader does not delay the gateway, but loses lines once
 *   too much is not written
 */
export function createLogger(destination?: DestinationStream): Logger {
  const writer = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: scrub } },
    // pino takes standard output by itself.
    destination ?? pino.destination({ fd: 1, sync: false, maxLength: MOST_UNWRITTEN_BYTES }),
  );
  const table = new Map<string, LogField>(Object.entries(logFields));
  const known = new Set<string>(messages);
  const log =
    (level: keyof Logger): Log =>
    (first: LogFields | Message, second?: Message) => {
      const [fields, message] = typeof first === "string" ? [{}, first] : [first, second];
      const text = message !== undefined && known.has(message) ? message : NOT_OF_THE_FORM;
      writer[level](allowed(fields, table), text);
    };
  return { info: log("info"), warn: log("warn"), error: log("error"), fatal: log("fatal") };
}

function allowed(
  fields: object,
  table: ReadonlyMap<string, LogField>,
): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  let dropped = 0;
  for (const [name, value] of Object.entries(fields)) {
    const field = table.get(name);
    if (field === undefined) dropped += 1;
    else if (value !== undefined)
      kept[name] = value === null || field.form(value) ? value : NOT_OF_THE_FORM;
  }
  return dropped === 0 ? kept : { ...kept, dropped };
}
