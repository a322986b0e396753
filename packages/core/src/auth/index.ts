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
