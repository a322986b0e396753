import type { FailureRow, IdentifierScope } from "@insurance-gateway/core/contract";
/**
 * Where a secret is: the environment variable, or the file relative to the configuration. The value itself is nowhere but
 * in connections that the store encrypts.
 */
export type SecretConfiguration =
  | { readonly env: string }
  | { readonly file: string }
  | { readonly value: string };

/** A user name and its password. */
export interface LoginConfiguration {
  readonly username: SecretConfiguration;
  readonly password: SecretConfiguration;
}

/** How a token server knows the gateway (RFC 6749, section 2.3; RFC 7523). */
export type ClientAuthentication = "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** OAuth 2 client credentials (RFC 6749, section 4.4). */
export interface OAuth2Configuration {
  readonly type: "oauth2";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientAuthentication: ClientAuthentication;
  readonly clientSecret?: SecretConfiguration | undefined;
  /** In PEM, for `private_key_jwt`. */
  readonly privateKey?: SecretConfiguration | undefined;
  readonly keyId?: string | undefined;
  /** The algorithm of the signature; the usual one of the key when left out. */
  readonly algorithm?: string | undefined;
  readonly scope?: string | undefined;
  readonly audience?: string | undefined;
  readonly tls?: TlsConfiguration | undefined;
  /** How long one fetch may take. */
  readonly timeoutMs: number;
}

/** One credential that the gateway shows an insurer. */
export type CredentialConfiguration =
  | { readonly type: "none" }
  | (SecretCredentialConfiguration & {
      /** The day on which it ends (RFC 3339, full-date), which is reported ahead. */
      readonly expires?: string | undefined;
    });

type SecretCredentialConfiguration =
  | { readonly type: "bearer"; readonly token: SecretConfiguration }
  | ({ readonly type: "basic" } & LoginConfiguration)
  | { readonly type: "apiKey"; readonly header: string; readonly value: SecretConfiguration }
  | OAuth2Configuration
  /** The adapter logs in, and shows what it gets. */
  | ({ readonly type: "login"; readonly timeoutMs: number } & LoginConfiguration)
  /** The adapter writes them into its messages. */
  | ({ readonly type: "message" } & LoginConfiguration);

/** The credentials that the gateway sends to an insurer: one, or several together. */
export type CredentialsConfiguration = CredentialConfiguration | readonly CredentialConfiguration[];

/** How long things may take towards one insurer, in milliseconds. */
export interface TimeoutsConfiguration {
  /** Making a connection, TLS included. */
  readonly connectMs: number;
  /** Everything, for other kinds than submissions. */
  readonly totalMs: number;
  /** Everything, for submissions. */
  readonly submissionMs: number;
}

/** A certificate with its private key, both in PEM. */
export interface CertificateConfiguration {
  readonly certificate: SecretConfiguration;
  readonly key: SecretConfiguration;
}

/** How the gateway and a server that it calls know each other. */
export interface TlsConfiguration {
  /** Who may certify the server, instead of the usual authorities. */
  readonly authorities?: SecretConfiguration | undefined;
  /** What the gateway shows the server. */
  readonly client?: CertificateConfiguration | undefined;
}

/** An insurer's own API. */
export interface InsurerConfiguration {
  readonly baseUrl: string;
  /** The package's own adapter when left out. */
  readonly adapter?: "declared" | undefined;
  readonly credentials: CredentialsConfiguration;
  readonly tls?: TlsConfiguration | undefined;
}

/** How calls are made again that change nothing at the insurer. */
export interface RetriesConfiguration {
  /** The first attempt included. */
  readonly attempts: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  readonly budgetPercent: number;
}

/** When calls fail immediately because the insurer fails. */
export interface BreakerConfiguration {
  readonly failuresInRow: number;
  readonly failurePercent: number;
  /** The least number of calls in the window for the percentage to count. */
  readonly leastCalls: number;
  readonly windowMs: number;
  readonly openMs: number;
  readonly longestOpenMs: number;
}

/** How many calls one insurer may have in progress. */
export interface BulkheadConfiguration {
  readonly running: number;
  readonly queued: number;
  readonly queueMs: number;
}

/** How much one caller may ask of one provider, counted by each process for itself. */
export interface CallerLimitConfiguration {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** What an insurer's answers may be. */
export interface AnswersConfiguration {
  readonly jsonBytes: number;
  readonly documentBytes: number;
  /** How old a stale response to a lookup may be when the insurer fails (RFC 5861, stale-if-error). */
  readonly staleHours: number;
  /** The longest that lookups are answered from memory; as long as each declares when left out. */
  readonly freshMinutes?: number | undefined;
}

/** A time in which an insurer maintains its service, as the operator knows it. */
export interface MaintenanceConfiguration {
  /** Instants of RFC 3339; the end is not included. */
  readonly from: string;
  readonly to: string;
  /** What callers read. */
  readonly note?: string | undefined;
}

/** One provider of the configuration. */
export interface ProviderConfiguration {
  readonly package: string;
  /** The path segment; the provider's id when left out. */
  readonly segment?: string | undefined;
  /** The insurer, or the package's simulated insurer. */
  readonly upstream: "sandbox" | InsurerConfiguration;
  readonly timeouts: TimeoutsConfiguration;
  readonly retries: RetriesConfiguration;
  readonly breaker: BreakerConfiguration;
  readonly bulkhead: BulkheadConfiguration;
  readonly callerLimit: CallerLimitConfiguration;
  readonly answers: AnswersConfiguration;
  readonly compare: CompareConfiguration;
  /** What the provider's package asks the operator for, by name: a value, or where a secret is. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** What refusals of the insurer mean that no row of its package matches. */
  readonly failures: readonly ConfiguredFailure[];
  readonly maintenance: readonly MaintenanceConfiguration[];
}

/** A row of `failures` that the operator adds, for one endpoint or for all. */
export interface ConfiguredFailure extends FailureRow {
  /** The endpoint's name; every endpoint of the provider when left out. */
  readonly endpoint?: string | undefined;
}

/** How an insurer's answers to submissions and searches are compared with their calls. */
export interface CompareConfiguration {
  /** The fields that are not compared, as JSON Pointers. */
  readonly except: readonly string[];
  /** Among which submissions an identifier is unique, by endpoint, where the package declares otherwise. */
  readonly identifiers: Readonly<Record<string, IdentifierScope>>;
}

/** One key that encrypts the stored data of submissions. */
export interface SubmissionKeyConfiguration {
  /** Names the key in the store. */
  readonly id: string;
  /** 32 bytes in base64. */
  readonly secret: SecretConfiguration;
}

/** How submissions are kept. */
export interface SubmissionsConfiguration {
  /** The first encrypts; the others still open what they encrypted. Without any, one that is made on the first start. */
  readonly keys: readonly SubmissionKeyConfiguration[];
  /** How long an answer is kept to be replayed, in hours. */
  readonly answerKeptHours: number;
  /** How long a key is known after its submission, in days. */
  readonly hashKeptDays: number;
  /** How long after its claim an equal request without a key is a submission that succeeded, in hours; 0 for never. */
  readonly sameContentHours: number;
  /** How many reconciliation queries are sent to one insurer in a second at most. */
  readonly queriesPerSecond: number;
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
  /** The `typ` its tokens must have; null when it sets none. */
  readonly typ: string | null;
  /** Whether a token allows only what its scope names; false when left out, which production refuses. */
  readonly scopesRequired?: boolean | undefined;
  readonly clockSkewSeconds: number;
}

/** How tokens of every issuer are checked. */
export interface AuthenticationConfiguration {
  readonly cachedTokens: number;
  readonly cachedSeconds: number;
  /** How many refused tokens of one address in a minute are checked. */
  readonly refusedTokens: number;
}

/** How much a connection may do on one day; any number where it is left out. */
export interface QuotasConfiguration {
  readonly requestsPerDay?: number | undefined;
  readonly submissionsPerDay?: number | undefined;
}

/** Where a listener listens. */
export interface ListenConfiguration {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** Where callers reach the gateway. */
export interface CallerListenConfiguration extends ListenConfiguration {
  readonly basePath: string;
  readonly tls?: CertificateConfiguration | undefined;
  /** Whether TLS ends at a load balancer before the gateway. */
  readonly tlsEndsBefore: boolean;
  /** Addresses or CIDR ranges. */
  readonly trustedProxies: readonly string[];
  /** Whether other processes of the machine listen on the same port. */
  readonly sharedPort: boolean;
}

/** What one request, one connection and all of them together may be. */
export interface LimitsConfiguration {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  readonly headers: number;
  readonly jsonDepth: number;
  readonly tokenBytes: number;
  /** All files of all requests together that one process has on its disk. */
  readonly uploadBytes: number;
  /** Requests with files that one caller may have under way in one process. */
  readonly uploadsPerCaller: number;
  /** Large answers of insurers that one process has in memory, together. */
  readonly answerBytes: number;
  readonly connections: number;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
}

/** When the gateway refuses work because it has too much, in milliseconds. */
export interface OverloadConfiguration {
  readonly eventLoopDelayMs: number;
  readonly longestWaitMs: number;
}

/** One tenant's account at one insurer. */
export interface ConnectionConfiguration {
  readonly id: string;
  /** The issuer of its tokens, and the value that its tokens have in the claim. */
  readonly tenant: { readonly issuer: string; readonly name: string };
  /** The provider's path segment. */
  readonly segment: string;
  /** Left out for a simulated insurer. */
  readonly credentials?: CredentialsConfiguration | undefined;
  /** Over the provider's own. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Over those of all connections. */
  readonly quotas?: QuotasConfiguration | undefined;
}

/** Whose credentials a call uses, and how much each connection may do. */
export interface ConnectionsConfiguration {
  /** The claim that names the tenant; undefined where every provider has one connection. */
  readonly claim?: string | undefined;
  readonly keptIn: "file" | "store";
  readonly list: readonly ConnectionConfiguration[];
  /** The time zone of the IANA database whose calendar days usage and quotas are counted by. */
  readonly timeZone: string;
  /** What each connection may do on a day. */
  readonly quotas: QuotasConfiguration;
}

/** A configuration as the file states it, with defaults filled in. */
export interface ConfigurationFile {
  readonly listen: CallerListenConfiguration;
  /** Where the operator's tools reach it, and the names they use beside addresses. */
  readonly operations: ListenConfiguration & {
    readonly names: readonly string[];
    readonly tls?: CertificateConfiguration | undefined;
    /** What requests show that administer connections. */
    readonly connectionsToken?: SecretConfiguration | undefined;
  };
  readonly limits: LimitsConfiguration;
  readonly overload: OverloadConfiguration;
  /** From which number on different searches of one caller in an hour are reported. */
  readonly observation: { readonly searchesPerHour: number };
  /** How many of a hundred usable answers of insurers are compared with their declarations. */
  readonly drift: { readonly samplePercent: number };
  readonly shutdown: { readonly noticeMs: number };
  /** The data folder of the gateway. */
  readonly data: string;
  /** Who issues tokens; without any, the development issuer. */
  readonly issuers: readonly IssuerConfiguration[];
  readonly authentication: AuthenticationConfiguration;
  readonly connections: ConnectionsConfiguration;
  readonly providers: readonly ProviderConfiguration[];
  /** The pages under /reference: whether they are served, and the base address that they name. */
  readonly reference: { readonly served: boolean; readonly address?: string | undefined };
  readonly submissions: SubmissionsConfiguration;
}
