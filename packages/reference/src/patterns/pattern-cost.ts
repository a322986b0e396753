import type { checkSync as CheckSync } from "recheck";
// @ts-expect-error: the build without native code has no types of its own. They are those of the package.
import recheck from "recheck/lib/browser.js";

const { checkSync }: { readonly checkSync: typeof CheckSync } = recheck;

/**
 * How the time of matching grows with a text: `higher` is polynomial of a higher degree, exponential, or not known.
 * JavaScript's engine tries one way to match after another, so that a caller could occupy the process with a text.
 */
export type PatternCost = "linear" | "quadratic" | "higher";

/** The longest text that may be matched against a pattern of quadratic cost. */
export const LONGEST_QUADRATIC = 256;

/**
 * Judges a regular expression by its automaton (recheck). Limits of repetitions count as unlimited, unless they are small:
 * `(a{1,9}){1,9}` takes as long as `(a+)+` for all texts that matter.
 */
export function patternCost({ flags, source }: RegExp): PatternCost {
  const [conditions, rest] = conditionsAtStart(source);
  const costs = [...conditions, rest].map((part) => costOf(part, flags));
  return (["higher", "quadratic"] as const).find((cost) => costs.includes(cost)) ?? "linear";
}

/** Whether a pattern may be checked at run time, for texts with a maximum of characters. */
export function isFastPattern(pattern: RegExp, maxLength: number | undefined): boolean {
  const cost = patternCost(pattern);
  const isShort = maxLength !== undefined && maxLength <= LONGEST_QUADRATIC;
  return cost === "linear" || (cost === "quadratic" && isShort);
}

function costOf(source: string, flags: string): PatternCost {
  try {
    const { choices, unlimited } = examined(source, flags);
    if (choices <= MOST_CHOICES) return "linear";
    if (unlimited === null) return "higher";
    const known = flags.replaceAll(/[dgy]/g, "");
    const judged = checkSync(unlimited, known, { checker: "automaton", timeout: TIMEOUT_MS });
    if (judged.status === "safe") return "linear";
    const isQuadratic =
      judged.status === "vulnerable" &&
      judged.complexity.type === "polynomial" &&
      judged.complexity.degree === 2;
    return isQuadratic ? "quadratic" : "higher";
  } catch {
    // Its automaton is too large for the stack.
    return "higher";
  }
}

/** Up to this number of ways to match from one beginning, the time is linear. */
const MOST_CHOICES = 1_024;
/** Ranges such as `\d{1,3}` and `x?` keep their limits up to this number of choices in all. More would make a large automaton. */
const MOST_RANGES = 16;
/** A longer count of repetitions counts as unlimited, because it would make a large automaton. */
const LONGEST_COUNT = 8;
/** For one pattern. Nearly all take less than 100 ms, the first one a second on a busy machine. */
const TIMEOUT_MS = 60_000;

/** The tokens of a regular expression that matter here: classes and escapes are one token each. */
const TOKEN =
  /\\(?:[ukpPx]\{[^}]*\}|k<[^>]*>|.)|\[(?:[^\]\\]|\\.)*\]|\((?:\?(?:[:=!]|<[=!]|<[^>=!]+>))?|\{\d+(?:,\d*)?\}|./gsu;

/**
 * Examines a regular expression.
 * @returns the number of ways to match from one beginning, and the expression without limits of repetitions
 */
function examined(source: string, flags: string): Examined {
  const parts: string[] = [];
  const widened: string[] = [];
  const starts: number[] = [];
  let choices = 1;
  let ranges = 1;
  let before = "";
  /** The group that has just ended. */
  let group: string | undefined;
  for (const [token] of source.matchAll(TOKEN)) {
    const [, least, comma, most] = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(token) ?? [];
    const isOfGroup = least !== undefined && group !== undefined;
    // Behind a quantifier, it makes that lazy.
    const isOptional = token === "?" && !/^[*+?{]/.test(before);
    if (token === "*" || token === "+" || most === "" || isOfGroup)
      choices = Number.POSITIVE_INFINITY;
    else if (token === "|") choices *= 2;
    else if (comma !== undefined) ranges *= Number(most) - Number(least) + 1;
    else if (isOptional) ranges *= 2;
    // Each required repetition may be the empty one.
    if (Number(least) > 1 && isOfGroup && new RegExp(`^${group}$`, flags).test(""))
      return { choices: Number.POSITIVE_INFINITY, unlimited: null };
    if (token.startsWith("(")) starts.push(parts.length);
    const isWidened = isOfGroup || Number(least) > LONGEST_COUNT;
    const isRange = isWidened || isOptional || comma !== undefined;
    const unlimited = isRange ? (isOptional || least === "0" ? "*" : "+") : token;
    parts.push(isWidened ? unlimited : token);
    widened.push(unlimited);
    group = token === ")" ? parts.slice(starts.pop()).join("") : undefined;
    before = token;
  }
  const unlimited = (ranges <= MOST_RANGES ? parts : widened).join("");
  return { choices: choices * ranges, unlimited };
}

interface Examined {
  readonly choices: number;
  /** Null for an expression whose cost no automaton shows. */
  readonly unlimited: string | null;
}

/**
 * Separates the conditions at the beginning, as in `^(?!\\s*$).+`: each is tried once, before the rest.
 * @returns each condition as an expression, and the rest
 */
function conditionsAtStart(source: string): readonly [conditions: readonly string[], rest: string] {
  const conditions: string[] = [];
  let rest = source;
  for (let end = conditionEnd(rest); end > 0; end = conditionEnd(rest)) {
    conditions.push(`^(?:${rest.slice("^(?=".length, end - 1)})`);
    rest = `^${rest.slice(end)}`;
  }
  return [conditions, rest];
}

/** Where the condition at the beginning ends; 0 without one. */
function conditionEnd(source: string): number {
  if (!/^\^\(\?[=!]/.test(source)) return 0;
  let depth = 0;
  for (const { 0: token, index } of source.matchAll(TOKEN)) {
    if (token.startsWith("(")) depth += 1;
    if (token !== ")") continue;
    depth -= 1;
    if (depth === 0) return index + 1;
  }
  return 0;
}
