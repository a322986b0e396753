import type { Ipid } from "@insurance-gateway/adapter/sandbox";
import { type Spacing, sectionGap } from "./body.ts";
import { type FrameForm, layOutFrame, type Rectangle } from "./frames.ts";
import { CONTENT_WIDTH, PAGE } from "./geometry.ts";
import { layOutHeader } from "./header.ts";
import type { Measure } from "./measure.ts";
import { type Section, type Sections, toSections } from "./sections.ts";

/**
 * Largest and smallest type size, and the step between two attempts, in points. A lower-case x of DejaVu Sans is 0.547
 * of the size (OS/2 sxHeight 1120 of 2048): 1.35 mm at 7 pt, where article 4 of Regulation (EU) 2017/1469 demands 1.2
 * mm.
 */
const TYPE_SIZES = { largest: 9.5, smallest: 7, step: 0.25 } as const;

/** Shares of page one's width that the left column may use: a shorter text gets a narrower column. */
const LEFT_COLUMN_SHARES: readonly number[] = [0.5, 0.47, 0.53, 0.44, 0.56, 0.42];

/** Section with its position on a page. */
export interface Placement {
  readonly section: Section;
  readonly form: FrameForm;
  readonly box: Rectangle;
  readonly spacing: Spacing;
}

/** Layout of both pages, ready to draw. */
export interface Layout {
  /** Spacing of page one outside the columns. The header uses the same spacing. */
  readonly spacing: Spacing;
  readonly first: readonly Placement[];
  readonly second: readonly Placement[];
}

/** Sections of each column. The fixed order of the sections allows a break after three different sections. */
interface ColumnPlan {
  readonly ipid: Ipid;
  /** Width of the left column of page one, in points. */
  readonly leftWidth: number;
  readonly type: Section;
  readonly left: readonly Section[];
  readonly right: readonly Section[];
  readonly rows: readonly Section[];
}

/**
 * Lays out the document on two pages in the largest type that fits, then increases the spacing until the pages are
 * full.
 *
 * @throws Error if the content does not fit even in the smallest type
 */
export function layOutDocument(ipid: Ipid, measure: Measure): Layout {
  const plans = toPlans(ipid, toSections(ipid));
  for (let size = TYPE_SIZES.largest; size >= TYPE_SIZES.smallest; size -= TYPE_SIZES.step) {
    const tight: Spacing = { size, lead: 0.25, gap: 0.2 };
    const fitting = plans.filter((plan) => overflow(plan, tight, measure) <= 0);
    const best = fitting.toSorted(
      (one, other) => blankPoints(one, tight, measure) - blankPoints(other, tight, measure),
    )[0];
    if (best !== undefined) return increaseSpacing(best, size, measure);
  }
  const tightest: Spacing = { size: TYPE_SIZES.smallest, lead: 0, gap: 0 };
  const excess = plans.map((plan) => ({ plan, over: overflow(plan, tightest, measure) }));
  const best = excess.toSorted((one, other) => one.over - other.over)[0];
  if (best !== undefined && best.over <= 0)
    return increaseSpacing(best.plan, TYPE_SIZES.smallest, measure);
  throw new Error(
    `The information document of application ${ipid.reference} does not fit on two A4 pages: at the smallest legible type of ${TYPE_SIZES.smallest} pt it is ${Math.ceil(best?.over ?? 0)} pt too long. Shorten its texts.`,
  );
}

function toPlans(ipid: Ipid, sections: Sections): readonly ColumnPlan[] {
  const { type, insured, notInsured, restrictions, where, obligations } = sections;
  const last = [obligations, sections.payment, sections.period, sections.cancellation];
  const breaks = [
    { right: [notInsured, restrictions], rows: [where, ...last] },
    { right: [notInsured], rows: [restrictions, where, ...last] },
    { right: [notInsured, restrictions, where], rows: last },
  ];
  return breaks.flatMap((at) =>
    LEFT_COLUMN_SHARES.map((share) => {
      const leftWidth = Math.round(share * (CONTENT_WIDTH - PAGE.columnGap));
      return { ipid, type, left: [insured], leftWidth, ...at };
    }),
  );
}

function rightWidth(plan: ColumnPlan): number {
  return CONTENT_WIDTH - PAGE.columnGap - plan.leftWidth;
}

// Increases the spacing step by step: first of the lines (equally on both pages), then of the gaps of each page.
function increaseSpacing(plan: ColumnPlan, size: number, measure: Measure): Layout {
  const room = (spacing: Spacing): boolean => overflow(plan, spacing, measure) <= 0;
  const lead = greatestFitting(1, (step) => room({ size, lead: step, gap: step * 0.8 }));
  const first = greatestFitting(1, (gap) => firstExcess(plan, { size, lead, gap }, measure) <= 0);
  const second = greatestFitting(
    1.3,
    (gap) => secondExcess(plan, { size, lead, gap }, measure) <= 0,
  );
  const spacing: Spacing = { size, lead, gap: first };
  return {
    spacing,
    first: placeFirst(plan, spacing, measure),
    second: placeSecond(plan, { size, lead, gap: second }, measure),
  };
}

// Returns the greatest value up to the limit, in steps of a fiftieth, that still fits.
function greatestFitting(limit: number, fits: (value: number) => boolean): number {
  for (let step = Math.round(limit * 50); step > 0; step -= 1) {
    if (fits(step / 50)) return step / 50;
  }
  return 0;
}

function overflow(plan: ColumnPlan, spacing: Spacing, measure: Measure): number {
  return Math.max(firstExcess(plan, spacing, measure), secondExcess(plan, spacing, measure));
}

/** Returns the points by which page one is too long; a negative number if it has room. */
function firstExcess(plan: ColumnPlan, spacing: Spacing, measure: Measure): number {
  const left = stackHeight("card", plan.left, plan.leftWidth, spacing, measure);
  const right = stackHeight("card", plan.right, rightWidth(plan), spacing, measure);
  return columnsTop(plan, spacing, measure) + Math.max(left, right) - PAGE.bottom;
}

/** Returns the points by which page two is too long; a negative number if it has room. */
function secondExcess(plan: ColumnPlan, spacing: Spacing, measure: Measure): number {
  const height = stackHeight("row", plan.rows, CONTENT_WIDTH, spacing, measure);
  return secondTop(spacing) + height - PAGE.bottom;
}

// Returns the sum of two blank spaces, in points: below the emptier column of page one, and below the sections of page
// two.
function blankPoints(plan: ColumnPlan, spacing: Spacing, measure: Measure): number {
  const room = PAGE.bottom - columnsTop(plan, spacing, measure);
  const left = stackHeight("card", plan.left, plan.leftWidth, spacing, measure);
  const right = stackHeight("card", plan.right, rightWidth(plan), spacing, measure);
  const second = -secondExcess(plan, spacing, measure);
  return Math.max(room - left, room - right) + second;
}

function columnsTop(plan: ColumnPlan, spacing: Spacing, measure: Measure): number {
  const header = layOutHeader(plan.ipid, spacing, measure);
  const type = layOutFrame("row", plan.type, CONTENT_WIDTH, spacing, measure);
  return header.bottom + type.height + sectionGap(spacing);
}

/** Returns the distance of the sections on page two from the top of the page, in points. */
function secondTop(spacing: Spacing): number {
  return PAGE.runningHead + sectionGap(spacing) + 4;
}

/** Returns the height of sections that are placed one below the other, in points. */
function stackHeight(
  form: FrameForm,
  sections: readonly Section[],
  width: number,
  spacing: Spacing,
  measure: Measure,
): number {
  const heights = sections.map((it) => layOutFrame(form, it, width, spacing, measure).height);
  return heights.reduce((sum, height) => sum + height, sectionGap(spacing) * (heights.length - 1));
}

/** Places the sections of page one. */
function placeFirst(plan: ColumnPlan, spacing: Spacing, measure: Measure): readonly Placement[] {
  const { bottom } = layOutHeader(plan.ipid, spacing, measure);
  const height = layOutFrame("row", plan.type, CONTENT_WIDTH, spacing, measure).height;
  const box: Rectangle = { x: PAGE.margin, y: bottom, width: CONTENT_WIDTH, height };
  const top = bottom + height + sectionGap(spacing);
  const rightX = PAGE.margin + plan.leftWidth + PAGE.columnGap;
  return [
    { section: plan.type, form: "row", box, spacing },
    ...placeColumn(plan.left, PAGE.margin, top, plan.leftWidth, spacing, measure),
    ...placeColumn(plan.right, rightX, top, rightWidth(plan), spacing, measure),
  ];
}

// Places a column. Each column increases its own gaps, so that both columns end on the same line with little blank
// space.
function placeColumn(
  sections: readonly Section[],
  x: number,
  top: number,
  width: number,
  page: Spacing,
  measure: Measure,
): readonly Placement[] {
  const room = PAGE.bottom - top;
  const gap = greatestFitting(
    1.6,
    (it) => stackHeight("card", sections, width, { ...page, gap: it }, measure) <= room,
  );
  return placeStack("card", sections, x, top, width, { ...page, gap }, measure);
}

/** Places the sections of page two. */
function placeSecond(plan: ColumnPlan, spacing: Spacing, measure: Measure): readonly Placement[] {
  const top = secondTop(spacing);
  return placeStack("row", plan.rows, PAGE.margin, top, CONTENT_WIDTH, spacing, measure);
}

// Places frames one below the other. The remaining space is shared evenly between them.
function placeStack(
  form: FrameForm,
  sections: readonly Section[],
  x: number,
  top: number,
  width: number,
  spacing: Spacing,
  measure: Measure,
): readonly Placement[] {
  const rest = PAGE.bottom - top - stackHeight(form, sections, width, spacing, measure);
  const share = Math.max(0, rest) / sections.length;
  let y = top;
  return sections.map((section) => {
    const height = layOutFrame(form, section, width, spacing, measure).height + share;
    const placement: Placement = { section, form, box: { x, y, width, height }, spacing };
    y += height + sectionGap(spacing);
    return placement;
  });
}
