export {
  type ClientAuthentication,
  type ClientCredentialsOptions,
  clientCredentials,
  faultOfRequest,
  requestToken,
  type TokenRequest,
} from "./client-credentials.ts";
export {
  type CredentialContent,
  type Credentials,
  CredentialsError,
  type CredentialsFault,
  type CredentialsWait,
  type FixedParts,
  fixedCredentials,
  jointCredentials,
  type PresentedCredentials,
  type UserLogin,
} from "./credentials.ts";
export {
  type FetchedContent,
  type FetchedParts,
  type FetchResult,
  fetchedCredentials,
} from "./fetched.ts";
export type {
  IssuedToken,
  TokenContext,
  TokenFunction,
  TokenSource,
} from "./token-source.ts";
