import type { ImportedProvider } from "../import-provider.ts";
import type { SoapDocument } from "./arrange.ts";

type Security = ImportedProvider["security"];

/** What the operator configures, with the user name and the password that travel in the messages. */
export function withUsernameToken(
  { hasUsernameToken }: Pick<SoapDocument, "hasUsernameToken">,
  security: Security,
): Security {
  if (!hasUsernameToken) return security;
  const accepted = security.accepted ?? [[]];
  return { ...security, accepted: accepted.map((all) => [...all, { type: "message" }]) };
}
