import type { MarkName } from "./icons.ts";
import type { Measure, TextStyle } from "./measure.ts";
import type { Section, SectionPart } from "./sections.ts";

/** Spacing of a page. `lead` and `gap` are shares of the type size, from 0 (tight) upwards. */
export interface Spacing {
  /** Type size of the running text, in points. */
  readonly size: number;
  /** Extra space between the lines of a paragraph. */
  readonly lead: number;
  /** Extra space between items, parts and sections. */
  readonly gap: number;
}

/** Text and its distance from the top of the section's content, in points. */
export interface TextLine {
  readonly text: string;
  readonly top: number;
}

/** Lines of one part. `indent` is the distance of the text from the left edge, in points. */
export interface TextBlock {
  readonly kind: SectionPart["kind"];
  readonly mark?: MarkName;
  readonly indent: number;
  readonly lines: readonly TextLine[];
}

/** Content of a section, set in a column: its blocks and their total height in points. */
export interface SectionBody {
  readonly height: number;
  readonly blocks: readonly TextBlock[];
}

/** Returns the font and size of running text. */
export function textStyle(spacing: Spacing): TextStyle {
  return {
    face: "regular",
    size: spacing.size,
    leading: spacing.size * (0.04 + 0.3 * spacing.lead),
  };
}

/** Returns the font and size of the heading above the optional covers. */
export function subheadingStyle(spacing: Spacing): TextStyle {
  return { ...textStyle(spacing), face: "bold" };
}

/** Returns the font and size of a section's heading. */
export function headingStyle(spacing: Spacing): TextStyle {
  return { face: "bold", size: spacing.size * 1.14, leading: spacing.size * 0.12 };
}

// Returns the indent of a list's text, which leaves room for the mark of each item.
function listIndent(spacing: Spacing): number {
  return spacing.size * 1.75;
}

/** Returns the distance between a frame's edge and its content, in points. */
export function padding(spacing: Spacing): number {
  return spacing.size * (0.7 + 0.3 * spacing.lead);
}

/** Returns the distance between two frames, in points. */
export function sectionGap(spacing: Spacing): number {
  return spacing.size * (0.8 + 0.35 * spacing.lead);
}

/** Lays out a section's content in a column of the given width (points). */
export function layOutBody(
  section: Section,
  width: number,
  spacing: Spacing,
  measure: Measure,
): SectionBody {
  const itemGap = spacing.size * (0.22 + 0.75 * spacing.gap);
  const partGap = itemGap + spacing.size * (0.25 + 0.5 * spacing.gap);
  const blocks: TextBlock[] = [];
  let top = 0;
  for (const part of section.parts) {
    // A subheading stays close to the list below it.
    const previous = blocks.at(-1);
    if (previous !== undefined) top += previous.kind === "subheading" ? itemGap : partGap;
    const { block, bottom } = layOutPart(part, top, itemGap, width, spacing, measure);
    blocks.push(block);
    top = bottom;
  }
  return { height: top, blocks };
}

function layOutPart(
  part: SectionPart,
  start: number,
  itemGap: number,
  width: number,
  spacing: Spacing,
  measure: Measure,
): { readonly block: TextBlock; readonly bottom: number } {
  const type = part.kind === "subheading" ? subheadingStyle(spacing) : textStyle(spacing);
  const indent = part.kind === "list" ? listIndent(spacing) : 0;
  const texts = part.kind === "list" ? part.items : [part.text];
  const lines: TextLine[] = [];
  let top = start;
  for (const text of texts) {
    if (lines.length > 0) top += itemGap;
    lines.push({ text, top });
    top += measure(text, type, width - indent);
  }
  const mark = part.kind === "list" && part.mark !== undefined ? { mark: part.mark } : {};
  return { block: { kind: part.kind, indent, lines, ...mark }, bottom: top };
}
