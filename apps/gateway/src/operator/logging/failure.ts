/**
 * The logged facts about an internal error: the error's class and places in the code. The log omits the error's
 * message, which may quote values.
 */
export interface LoggedFailure {
  readonly kind: string;
  readonly places?: readonly string[];
}

/** Maximum number of logged stack lines, which is enough to find the fault. */
const MAX_STACK_LINES = 8;

/** Matches a line of V8's stack trace that names a place in the code. */
export const STACK_LINE: RegExp =
  /^at (?:[\w$.<>#[\] ]{1,120} \()?(?:(?:file:\/\/|node:)?[\w./@+~%=-]{1,240}:\d{1,7}(?::\d{1,7})?|<anonymous>|index \d{1,7})\)?$/;
/** Matches the name of an error's class. */
export const ERROR_NAME: RegExp = /^[A-Za-z_$][\w$]{0,63}$/;

/** Returns an error's class, and the places in the code that the error's stack names. */
export function failureOf(error: unknown): LoggedFailure {
  if (!(error instanceof Error)) return { kind: typeof error };
  const { message, stack = "" } = error;
  // The stack begins with the message, which may contain lines that look like stack lines: skip the message.
  const end = stack.indexOf(message) + message.length;
  const places = stack
    .slice(Math.max(0, end))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => STACK_LINE.test(line));
  return { kind: errorNameOf(error), places: places.slice(0, MAX_STACK_LINES) };
}

function errorNameOf(error: Error): string {
  const made: unknown = Reflect.get(error, "constructor");
  return typeof made === "function" && ERROR_NAME.test(made.name) ? made.name : "Error";
}
