/** The default subject and scope of a token of the development issuer. */
export const developmentToken: { readonly subject: string; readonly scope: string } = {
  subject: "developer",
  scope: "*:*",
};
