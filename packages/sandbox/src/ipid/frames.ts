import { headingStyle, layOutBody, padding, type SectionBody, type Spacing } from "./body.ts";
import type { Measure } from "./measure.ts";
import type { Section } from "./sections.ts";

/** Rectangle in points, measured from the top left corner of the page. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Form of a section's frame: a `card` has its heading above the content, a `row` in a panel to the left. */
export type FrameForm = "card" | "row";

/** Inner measures of a frame in points. The body's position is measured from the frame's top left corner. */
export interface Frame {
  readonly iconSide: number;
  readonly headingWidth: number;
  readonly headingHeight: number;
  /** Tinted part: a strip over the whole width of a card, a panel over the whole height of a row. */
  readonly head: { readonly width: number; readonly height: number };
  readonly bodyX: number;
  readonly bodyY: number;
  readonly bodyWidth: number;
  readonly body: SectionBody;
  /** Minimum height of the frame. */
  readonly height: number;
}

/** Share of a row's width that its heading panel uses. */
const PANEL_SHARE = 0.33;

/** Lays out a section in a frame of the given width (points). */
export function layOutFrame(
  form: FrameForm,
  section: Section,
  width: number,
  spacing: Spacing,
  measure: Measure,
): Frame {
  const inset = padding(spacing);
  const iconSide = section.icon === undefined ? 0 : spacing.size * 2.9;
  const iconSpace = section.icon === undefined ? 0 : iconSide + spacing.size * 0.8;
  const headWidth = form === "card" ? width : Math.round(width * PANEL_SHARE);
  const headingWidth = headWidth - 2 * inset - iconSpace;
  const headingHeight = measure(section.heading, headingStyle(spacing), headingWidth);
  // The strip of a card is slimmer than the panel of a row: a card's heading has one line, with a rule below it.
  const headInset = form === "card" ? inset * 0.65 : inset;
  const headHeight = Math.max(iconSide, headingHeight) + 2 * headInset;
  const bodyX = form === "card" ? inset : headWidth + inset * 1.4;
  const bodyY = form === "card" ? headHeight + inset : inset;
  const bodyWidth = width - bodyX - inset;
  const body = layOutBody(section, bodyWidth, spacing, measure);
  const least = bodyY + body.height + inset;
  return {
    iconSide,
    headingWidth,
    headingHeight,
    head: { width: headWidth, height: headHeight },
    bodyX,
    bodyY,
    bodyWidth,
    body,
    height: form === "card" ? least : Math.max(least, headHeight),
  };
}
