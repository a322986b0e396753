const nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What a browser may do with a page of the reference; nothing is ever asked of another host. */
export const policies: {
  /** For what is no page. */
  readonly none: string;
  /** For pages of ours. */
  readonly page: string;
  /** For the pages that Scalar draws: it writes styles into the page, and asks the gateway by try-it, and shows a PDF that came. */
  readonly scalar: string;
} = {
  none: nothing,
  page: `${nothing}; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'`,
  scalar: `${nothing}; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-src blob:; object-src blob:`,
};
