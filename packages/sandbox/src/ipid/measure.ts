import { type Face, fontFile } from "./fonts.ts";

/** How a run of text is set; sizes and gaps in points. */
export interface Type {
  readonly face: Face;
  readonly size: number;
  /** Space between two lines, over the font's own line height. */
  readonly leading: number;
}

/** The height in points that a text takes in a column of the given width. */
export type Measure = (text: string, type: Type, width: number) => number;

/** Makes a measure that asks the document's own line breaker, once for every text, size and width. */
export function createMeasure(document: PDFKit.PDFDocument): Measure {
  const known = new Map<string, { readonly lines: number; readonly lineHeight: number }>();
  return (text, type, width) => {
    const key = `${type.face} ${type.size} ${width} ${text}`;
    let block = known.get(key);
    if (block === undefined) {
      document.font(fontFile(type.face), type.size);
      const lineHeight = document.currentLineHeight();
      // The cast-off without leading is a whole number of lines, up to rounding.
      const lines = Math.round(document.heightOfString(text, { width, lineGap: 0 }) / lineHeight);
      block = { lines, lineHeight };
      known.set(key, block);
    }
    // No leading under the last line: the space below is the caller's.
    return block.lines * (block.lineHeight + type.leading) - type.leading;
  };
}
