import { createFixedWindows } from "../../callers/fixed-windows.ts";
import type { LogFields } from "../../operator/logging/fields.ts";
import type { Logger } from "../../operator/logging/logger.ts";

/** Maximum of lines that one kind of refusal without a caller gets in a second. */
const MAX_A_SECOND = 100;
const SECOND_MS = 1_000;

/** Writes the line of a request. */
export type LogRequestLine = (fields: LogFields) => void;

/**
 * Limits the lines of refusals whose caller is not known, because anybody can cause them: 482,000 in a flood. The next line of the
 * same kind says how many were left out (`skipped`). Metrics count all of them.
 */
export function createRequestLines(logger: Pick<Logger, "info">): LogRequestLine {
  const windows = createFixedWindows();
  const skipped = new Map<string, number>();
  return (fields) => {
    const { caller = null, code = null, reason = null } = fields;
    if (caller !== null || code === null) return logger.info(fields, "request");
    // Codes and reasons are words of the gateway.
    const kind = `${code} ${reason}`;
    const before = skipped.get(kind) ?? 0;
    if (windows.count(kind, SECOND_MS).count > MAX_A_SECOND)
      return void skipped.set(kind, before + 1);
    skipped.delete(kind);
    logger.info(before === 0 ? fields : { ...fields, skipped: before }, "request");
  };
}
