const nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const page = `${nothing}; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'`;

/** The rights of a page of the reference in a browser; no page may call another host. */
export const policies: {
  /** The rights of files that are not pages. */
  readonly none: string;
  /** For pages of ours. A document that came as an answer is opened in a tab of its own. */
  readonly page: string;
} = {
  none: nothing,
  page,
};
