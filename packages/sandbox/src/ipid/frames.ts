import { type Body, headingType, padding, type Spacing, setBody } from "./body.ts";
import type { Measure } from "./measure.ts";
import type { Section } from "./sections.ts";

/** A rectangle in points from the top left corner of the page. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A section's frame. A `card` has its heading above the content, a `row` has it in a panel to the
 * left of it.
 */
export type Form = "card" | "row";

/** A frame's inner measures in points; the body's place is from the frame's top left corner. */
export interface Frame {
  readonly iconSide: number;
  readonly headingWidth: number;
  readonly headingHeight: number;
  /** The tinted part: a strip over the whole width of a card, a panel over the whole height of a row. */
  readonly head: { readonly width: number; readonly height: number };
  readonly bodyX: number;
  readonly bodyY: number;
  readonly bodyWidth: number;
  readonly body: Body;
  /** The least height the frame can have. */
  readonly height: number;
}

/** The part of a row that its heading takes. */
const PANEL_SHARE = 0.33;

/** Sets a section in a frame of the given width (points). */
export function setFrame(
  form: Form,
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
  const headingHeight = measure(section.heading, headingType(spacing), headingWidth);
  // A strip is slimmer than the panel: its heading is one line and its rule closes it.
  const headInset = form === "card" ? inset * 0.65 : inset;
  const headHeight = Math.max(iconSide, headingHeight) + 2 * headInset;
  const bodyX = form === "card" ? inset : headWidth + inset * 1.4;
  const bodyY = form === "card" ? headHeight + inset : inset;
  const bodyWidth = width - bodyX - inset;
  const body = setBody(section, bodyWidth, spacing, measure);
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
