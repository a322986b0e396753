/** The log's form of an internal failure: its kind and its stack, never its message, which may quote values. */
export interface Failure {
  readonly kind: string;
  readonly places?: readonly string[];
}

/** How many lines of the stack are logged: enough to find the fault. */
const MOST_PLACES = 8;

/** A line of V8's stack that names a position in the code and nothing else. */
export const PLACE: RegExp =
  /^at (?:[\w$.<>#[\] ]{1,120} \()?(?:(?:file:\/\/|node:)?[\w./@+~%=-]{1,240}:\d{1,7}(?::\d{1,7})?|<anonymous>|index \d{1,7})\)?$/;
/** The name of an error's class. */
export const KIND: RegExp = /^[A-Za-z_$][\w$]{0,63}$/;

/** Says where a failure happened. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { kind: typeof error };
  const { message, stack = "" } = error;
  // A message may have lines that look like those of a stack.
  const end = stack.indexOf(message) + message.length;
  const places = stack
    .slice(Math.max(0, end))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => PLACE.test(line));
  return { kind: kindOf(error), places: places.slice(0, MOST_PLACES) };
}

function kindOf(error: Error): string {
  const made: unknown = Reflect.get(error, "constructor");
  return typeof made === "function" && KIND.test(made.name) ? made.name : "Error";
}
