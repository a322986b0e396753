/** Who a token of the development issuer speaks for and what it allows, unless somebody says otherwise. */
export const developmentToken: { readonly subject: string; readonly scope: string } = {
  subject: "developer",
  scope: "*:*",
};
