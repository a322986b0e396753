const nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const page = `${nothing}; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'`;

/** What a browser may do with a page of the reference; nothing is ever asked of another host. */
export const policies: {
  /** For what is no page. */
  readonly none: string;
  /** For pages of ours. A document that came as an answer is opened in a tab of its own. */
  readonly page: string;
} = {
  none: nothing,
  page,
};
