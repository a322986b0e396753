/** Longer ones are dropped whole: the specification asks to pass on so much. */
const LONGEST = 512;
const MOST_MEMBERS = 32;

/**
 * A member of the list (W3C Trace Context Level 2, section 3.3.1.3): a key of its own characters, and a value that does
 * not end with a space.
 */
const MEMBER =
  /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Combines the `tracestate` headers of a request into one; null when there is nothing, or anything is not well-formed. */
export function readTraceState(values: readonly string[]): string | null {
  const members = values
    .flatMap((value) => value.split(","))
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((member) => member !== "");
  const keys = new Set(members.map((member) => member.split("=", 1)[0]));
  const state = members.join(",");
  const isGood =
    members.length > 0 &&
    members.length <= MOST_MEMBERS &&
    state.length <= LONGEST &&
    keys.size === members.length &&
    members.every((member) => MEMBER.test(member));
  return isGood ? state : null;
}
