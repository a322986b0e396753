/** The A4 page and its fixed lines, in points (1/72 inch; 210 by 297 mm). */
export const PAGE = {
  width: 595.28,
  height: 841.89,
  margin: 38,
  /** Where the sections of both pages end. */
  bottom: 796,
  /** The rule above the footer. */
  footerRule: 808,
  /** The slim band on top of page two. */
  runningHead: 34,
  /** Between the two columns of page one. */
  columnGap: 12,
} as const;

/** The width between the margins. */
export const CONTENT_WIDTH: number = PAGE.width - 2 * PAGE.margin;
