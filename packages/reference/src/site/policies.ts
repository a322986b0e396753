const nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const page = `${nothing}; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'`;

/** Content security policies of the reference. No page may call another host. */
export const policies: {
  /** The policy of files that are not pages. */
  readonly none: string;
  /**
   * The policy of this project's pages. It allows no frames, because a document from an answer opens in a separate tab.
   */
  readonly page: string;
} = {
  none: nothing,
  page,
};
