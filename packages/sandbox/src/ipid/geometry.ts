/** The A4 page and its fixed lines, in points (1/72 inch; 210 by 297 mm). */
export const PAGE = {
  width: 595.28,
  height: 841.89,
  margin: 38,
  /** Bottom of the sections on both pages. */
  bottom: 796,
  /** Position of the rule above the footer. */
  footerRule: 808,
  /** Height of the slim band at the top of page two. */
  runningHead: 34,
  /** Gap between the two columns of page one. */
  columnGap: 12,
} as const;

/** Width between the margins. */
export const CONTENT_WIDTH: number = PAGE.width - 2 * PAGE.margin;
