/** Where a secret is: the environment variable, or the file relative to the configuration. */
export type SecretConfiguration = { readonly env: string } | { readonly file: string };

/** The credentials the gateway shows an insurer. */
export type CredentialsConfiguration =
  | { readonly type: "none" }
  | { readonly type: "bearer"; readonly token: SecretConfiguration }
  | {
      readonly type: "basic";
      readonly username: SecretConfiguration;
      readonly password: SecretConfiguration;
    }
  | { readonly type: "apiKey"; readonly header: string; readonly value: SecretConfiguration };

/** How long things may take towards one insurer, in milliseconds. */
export interface TimeoutsConfiguration {
  /** Making a connection, TLS included. */
  readonly connectMs: number;
  /** Everything, for other kinds than submissions. */
  readonly totalMs: number;
  /** Everything, for submissions. */
  readonly submissionMs: number;
}

/** An insurer's own API. */
export interface InsurerConfiguration {
  readonly baseUrl: string;
  readonly adapter: "declared";
  readonly credentials: CredentialsConfiguration;
}

/** One provider of the configuration. */
export interface ProviderConfiguration {
  readonly package: string;
  /** The path segment; the provider's id when left out. */
  readonly segment?: string | undefined;
  /** The insurer, or the package's own stand-in. */
  readonly upstream: "sandbox" | InsurerConfiguration;
  readonly timeouts: TimeoutsConfiguration;
}

/** One key that seals what is kept about submissions. */
export interface SubmissionKeyConfiguration {
  /** Names the key in the store. */
  readonly id: string;
  /** 32 bytes in base64. */
  readonly secret: SecretConfiguration;
}

/** How submissions are kept. */
export interface SubmissionsConfiguration {
  /** The first seals; the others still open what they sealed. Without any, one that is made on the first start. */
  readonly keys: readonly SubmissionKeyConfiguration[];
  /** How long an answer is kept to be replayed, in hours. */
  readonly answerKeptHours: number;
  /** How long a key is known after its submission, in days. */
  readonly hashKeptDays: number;
}

/** One issuer of tokens. */
export interface IssuerConfiguration {
  /** The exact `iss` of its tokens. */
  readonly issuer: string;
  /** The exact `aud` its tokens must have. */
  readonly audience: string;
  readonly jwksUri: string;
  /** The signature algorithms its tokens may have. */
  readonly algorithms: readonly string[];
}

/** Where a listener listens. */
export interface ListenConfiguration {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** A configuration as the file states it, with defaults filled in. */
export interface ConfigurationFile {
  readonly listen: ListenConfiguration & { readonly basePath: string };
  readonly operations: ListenConfiguration;
  /** The folder for what the gateway keeps. */
  readonly data: string;
  /** Who issues tokens; without any, the development issuer. */
  readonly issuers: readonly IssuerConfiguration[];
  readonly providers: readonly ProviderConfiguration[];
  readonly submissions: SubmissionsConfiguration;
}
