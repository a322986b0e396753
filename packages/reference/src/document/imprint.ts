import type { OpenApiDocument, Server } from "./open-api.ts";

/** The contact for the readers of a document. */
export const contact: OpenApiDocument["info"]["contact"] = {
  name: "The operator of your gateway",
  url: "https://gateway.example/reference",
};

/** The security requirement of all operations: every call needs a token. */
export const security: OpenApiDocument["security"] = [{ bearerToken: [] }];

/** The description of the token. */
export const securitySchemes: OpenApiDocument["components"]["securitySchemes"] = {
  bearerToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "A JSON Web Token of an issuer that the gateway's operator configured, checked as RFC8725 says: fixed algorithms, exact issuer and audience, not expired. Where the issuer's tokens have scopes, `PROVIDER:KIND` is needed, such as `provider-d:submission`; `*` stands for any.",
  },
};

/**
 * Returns a gateway's address as an OpenAPI server. The description names no environment, because only the operator
 * knows whether the gateway is for development, staging or production.
 */
export function server(url: string): Server {
  return { url, description: "This gateway: local, staging or production", "x-internal": false };
}
