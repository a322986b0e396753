import type { checkSync as CheckSync } from "recheck";
// @ts-expect-error: the build without native code has no types of its own. Use the types of the package `recheck`.
import recheck from "recheck/lib/browser.js";

const { checkSync }: { readonly checkSync: typeof CheckSync } = recheck;

/**
 * The growth of a pattern's matching time with the length of the text: `higher` is a polynomial of a higher degree,
 * exponential, or unknown. JavaScript's engine tries one way to match after another, so a caller's text could block the
 * process.
 */
export type PatternCost = "linear" | "quadratic" | "higher";

/** Maximum length of a text that may be matched against a pattern of quadratic cost. */
export const MAX_QUADRATIC_LENGTH = 256;

/**
 * Determines the cost of a regular expression from its automaton (with recheck). Limits of repetitions count as
 * unlimited unless they are small: `(a{1,9}){1,9}` takes as long as `(a+)+` for all relevant texts.
 */
export function patternCost({ flags, source }: RegExp): PatternCost {
  const [conditions, rest] = conditionsAtStart(source);
  const costs = [...conditions, rest].map((part) => costOf(part, flags));
  return (["higher", "quadratic"] as const).find((cost) => costs.includes(cost)) ?? "linear";
}

/** Reports whether a pattern may be checked at run time for texts with a maximum length. */
export function isFastPattern(pattern: RegExp, maxLength: number | undefined): boolean {
  const cost = patternCost(pattern);
  const isShort = maxLength !== undefined && maxLength <= MAX_QUADRATIC_LENGTH;
  return cost === "linear" || (cost === "quadratic" && isShort);
}

function costOf(source: string, flags: string): PatternCost {
  try {
    const { choices, unlimited } = examineExpression(source, flags);
    if (choices <= MAX_LINEAR_CHOICES) return "linear";
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
    // An error means that the automaton of the pattern is too large for the stack.
    return "higher";
  }
}

/** Maximum number of ways to match from one start position for which the time counts as linear. */
const MAX_LINEAR_CHOICES = 1_024;
/**
 * Maximum number of choices in ranges such as `\d{1,3}` and `x?` for which the ranges keep their limits. With more
 * choices, the automaton would be too large.
 */
const MAX_RANGE_CHOICES = 16;
/**
 * Largest repetition count that is kept. A larger count is treated as unlimited, because the automaton would be too
 * large.
 */
const MAX_REPETITION_COUNT = 8;
/**
 * Timeout for determining the cost of one pattern, in milliseconds. Nearly all patterns take less than 100 ms; the
 * first pattern takes a second on a busy machine.
 */
const TIMEOUT_MS = 60_000;

/** Matches the relevant tokens of a regular expression. A class or an escape is one token. */
const TOKEN =
  /\\(?:[ukpPx]\{[^}]*\}|k<[^>]*>|.)|\[(?:[^\]\\]|\\.)*\]|\((?:\?(?:[:=!]|<[=!]|<[^>=!]+>))?|\{\d+(?:,\d*)?\}|./gsu;

/**
 * Examines a regular expression.
 * @returns the number of ways to match from one start position, and the expression without limits of repetitions
 */
function examineExpression(source: string, flags: string): ExaminedExpression {
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
    // After a quantifier, `?` makes the quantifier lazy.
    const isOptional = token === "?" && !/^[*+?{]/.test(before);
    if (token === "*" || token === "+" || most === "" || isOfGroup)
      choices = Number.POSITIVE_INFINITY;
    else if (token === "|") choices *= 2;
    else if (comma !== undefined) ranges *= Number(most) - Number(least) + 1;
    else if (isOptional) ranges *= 2;
    // If the group can match an empty text, each required repetition may be empty.
    if (Number(least) > 1 && isOfGroup && new RegExp(`^${group}$`, flags).test(""))
      return { choices: Number.POSITIVE_INFINITY, unlimited: null };
    if (token.startsWith("(")) starts.push(parts.length);
    const isWidened = isOfGroup || Number(least) > MAX_REPETITION_COUNT;
    const isRange = isWidened || isOptional || comma !== undefined;
    const unlimited = isRange ? (isOptional || least === "0" ? "*" : "+") : token;
    parts.push(isWidened ? unlimited : token);
    widened.push(unlimited);
    group = token === ")" ? parts.slice(starts.pop()).join("") : undefined;
    before = token;
  }
  const unlimited = (ranges <= MAX_RANGE_CHOICES ? parts : widened).join("");
  return { choices: choices * ranges, unlimited };
}

interface ExaminedExpression {
  readonly choices: number;
  /** The expression without limits of repetitions; null if an automaton cannot show the cost of the expression. */
  readonly unlimited: string | null;
}

/**
 * Separates the lookaheads at the start of an expression, as in `^(?!\\s*$).+`: each lookahead is tried once, before
 * the rest.
 * @returns each lookahead as an expression, and the rest
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

/** Returns the end of the lookahead at the start of an expression; 0 if there is no lookahead. */
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
