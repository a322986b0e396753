import { changeOf } from "./annotations.ts";
import type { Difference, Rule } from "./finding.ts";
import { type Node, nodeOf } from "./json.ts";
import { typesOf } from "./side.ts";

/** The limit of a range. */
interface Bound {
  readonly value: number;
  /** True if the limit itself is outside the range. */
  readonly isExclusive: boolean;
}

/** The keywords for one end of a range in JSON Schema. */
interface End {
  readonly keyword: string;
  readonly exclusive?: string;
  readonly isLower: boolean;
  /** The unit as the end of a sentence. */
  readonly unit: string;
}

const ends: readonly End[] = [
  { keyword: "minimum", exclusive: "exclusiveMinimum", isLower: true, unit: "" },
  { keyword: "maximum", exclusive: "exclusiveMaximum", isLower: false, unit: "" },
  { keyword: "minLength", isLower: true, unit: " characters long" },
  { keyword: "maxLength", isLower: false, unit: " characters long" },
  { keyword: "minItems", isLower: true, unit: " items long" },
  { keyword: "maxItems", isLower: false, unit: " items long" },
  { keyword: "minProperties", isLower: true, unit: " fields large" },
  { keyword: "maxProperties", isLower: false, unit: " fields large" },
];

/** Rules that compare ranges of numbers and lengths, file sizes, and multiples of a number. */
export const boundRules: readonly Rule[] = [
  ...ends.map((end) => ({
    // A limit of whole numbers can be written in two ways: `> 0` means `>= 1`.
    keywords: [end.keyword, ...(end.exclusive ? [end.exclusive, "type", "enum", "const"] : [])],
    compare: (before: Node, after: Node) => compareEnd(end, before, after),
  })),
  { keywords: ["x-file"], compare: compareFileSize },
  { keywords: ["multipleOf"], compare: compareMultiple },
];

function compareFileSize(before: Node, after: Node): readonly Difference[] {
  const end: End = { keyword: "maxBytes", isLower: false, unit: " bytes large" };
  const differences = compareEnd(end, nodeOf(before["x-file"]), nodeOf(after["x-file"]));
  return differences.map((difference) => ({ ...difference, keyword: "x-file" }));
}

function compareEnd(end: End, before: Node, after: Node): readonly Difference[] {
  const [old, current] = [boundOf(end, before), boundOf(end, after)];
  if (old?.value === current?.value && old?.isExclusive === current?.isExclusive) return [];
  const isTighter = current !== null && (old === null || isInside(current, old, end.isLower));
  return [
    {
      keyword: keywordOf(end, current ?? old),
      effect: isTighter ? "narrower" : "wider",
      change: changeOf(old ?? undefined, current ?? undefined),
      predicate: predicateOf(end, old, current, isTighter),
    },
  ];
}

function boundOf({ exclusive, isLower, keyword }: End, node: Node): Bound | null {
  const tightest = tighter(
    boundAt(node[keyword], false),
    exclusive === undefined ? null : boundAt(node[exclusive], true),
    isLower,
  );
  if (tightest === null) return null;
  // A minimum length of 0 limits nothing.
  if (exclusive === undefined && isLower && tightest.value <= 0) return null;
  const types = typesOf(node) ?? [];
  const isWhole = types.includes("integer") && !types.includes("number");
  return isWhole ? wholeBound(tightest, isLower) : tightest;
}

function boundAt(value: unknown, isExclusive: boolean): Bound | null {
  return typeof value === "number" ? { value, isExclusive } : null;
}

function tighter(one: Bound | null, other: Bound | null, isLower: boolean): Bound | null {
  if (one === null || other === null) return one ?? other;
  return isInside(other, one, isLower) ? other : one;
}

/** Returns a limit of whole numbers in the form without exclusion: `> 0` becomes `>= 1`. */
function wholeBound({ isExclusive, value }: Bound, isLower: boolean): Bound {
  const nearest = isLower ? Math.ceil(value) : Math.floor(value);
  const isOutside = isExclusive && nearest === value;
  return { value: nearest + (isOutside ? (isLower ? 1 : -1) : 0), isExclusive: false };
}

/** Reports whether a limit allows fewer values than another limit. */
function isInside(one: Bound, other: Bound, isLower: boolean): boolean {
  if (one.value === other.value) return one.isExclusive && !other.isExclusive;
  return isLower ? one.value > other.value : one.value < other.value;
}

function keywordOf({ exclusive, keyword }: End, bound: Bound | null): string {
  return bound?.isExclusive === true && exclusive !== undefined ? exclusive : keyword;
}

function predicateOf(
  end: End,
  old: Bound | null,
  current: Bound | null,
  isTighter: boolean,
): string {
  if (current === null) return `no longer has to be ${sizeInWords(end, old)}`;
  const before = old === null ? "" : ` (before: ${inWords(end, old)})`;
  return `${isTighter ? "must" : "may"} now be ${sizeInWords(end, current)}${before}`;
}

function sizeInWords(end: End, bound: Bound | null): string {
  return bound === null ? "limited" : inWords(end, bound) + end.unit;
}

function inWords({ isLower }: End, { isExclusive, value }: Bound): string {
  if (isExclusive) return `${isLower ? "more" : "less"} than ${value}`;
  return `at ${isLower ? "least" : "most"} ${value}`;
}

function compareMultiple(before: Node, after: Node): readonly Difference[] {
  const keyword = "multipleOf";
  const [old, current] = [before[keyword], after[keyword]];
  if (old === current) return [];
  const change = changeOf(old, current);
  if (typeof current !== "number") {
    const predicate = `no longer has to be a multiple of ${Number(old)}`;
    return [{ keyword, effect: "wider", change, predicate }];
  }
  const isWider = typeof old === "number" && old % current === 0;
  const isNarrower = typeof old !== "number" || current % old === 0;
  const effect = isWider ? "wider" : isNarrower ? "narrower" : "other";
  return [{ keyword, effect, change, predicate: `must now be a multiple of ${current}` }];
}
