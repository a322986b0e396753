import { type Face, fontFile } from "./fonts.ts";

/** Font and size of a text; sizes and gaps in points. */
export interface TextStyle {
  readonly face: Face;
  readonly size: number;
  /** Extra space between two lines, in addition to the font's line height. */
  readonly leading: number;
}

/** Returns the height in points that a text needs in a column of the given width. */
export type Measure = (text: string, type: TextStyle, width: number) => number;

/**
 * Creates a measure with the document's own line breaker. Each combination of text, size and width is measured only
 * once.
 */
export function createMeasure(document: PDFKit.PDFDocument): Measure {
  const known = new Map<string, { readonly lines: number; readonly lineHeight: number }>();
  return (text, type, width) => {
    const key = `${type.face} ${type.size} ${width} ${text}`;
    let block = known.get(key);
    if (block === undefined) {
      document.font(fontFile(type.face), type.size);
      const lineHeight = document.currentLineHeight();
      // Without leading, the height is a whole number of lines, apart from rounding.
      const lines = Math.round(document.heightOfString(text, { width, lineGap: 0 }) / lineHeight);
      block = { lines, lineHeight };
      known.set(key, block);
    }
    // The last line has no leading: the caller adds the space below.
    return block.lines * (block.lineHeight + type.leading) - type.leading;
  };
}
