import type { CancellationSignal, SetupFault } from "../transport/transport.ts";

/** A user name and its password. */
export interface UserLogin {
  readonly username: string;
  readonly password: string;
}

/** Credentials with which the gateway authenticates at an insurer. */
export interface CredentialContent {
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** User name and password for a dialect that writes both into its messages; otherwise null. */
  readonly login: UserLogin | null;
}

/** Credentials that one request sends. */
export interface PresentedCredentials extends CredentialContent {
  /**
   * Reports that the insurer refused these credentials with a 401. The credentials are renewed only once, even if
   * several calls report the refusal. A report about credentials that have been replaced has no effect.
   * @returns true if other credentials exist or will exist soon, so that a retry is useful
   */
  refused(): boolean;
}

/** Limits of a call's wait for credentials. */
export interface CredentialsWait {
  /** Longest wait, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted if the caller disconnects; null for a call that continues in any case. */
  readonly signal: CancellationSignal | null;
}

/** Source of one insurer's credentials, which all calls to the insurer share. */
export interface Credentials {
  /** Returns the current credentials, or null if none are available. */
  current(): PresentedCredentials | null;
  /**
   * Waits until credentials are available.
   * @throws CredentialsError if no credentials arrive in time, or if the token server refused the gateway
   */
  ready(wait: CredentialsWait): Promise<void>;
  /** Returns the number of waiting calls. */
  waiting(): number;
  /** Returns the age of the current credentials in milliseconds; null for fixed credentials, or without credentials. */
  ageMs(): number | null;
}

/**
 * Reason why credentials could not be fetched:
 * - `refused`: the token server, or the insurer's login, refused the gateway's secret;
 * - `unreachable`: the server could not be reached, failed, or asked for a later request;
 * - `unusable`: the server's answer has no valid credentials;
 * - `crowded`: too many calls wait for credentials;
 * - `cancelled`: the caller disconnected.
 */
export type CredentialsFault = "refused" | "unreachable" | "unusable" | "crowded" | "cancelled";

const brand = Symbol.for("insurance-gateway.credentials-error");

/** Error of a call without credentials. It contains no secret and no content of the token server's answer. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
  readonly fault: CredentialsFault;
  /** The configuration to correct, such as the proxy; null for any other failure. */
  readonly setupFault: SetupFault | null;

  constructor(fault: CredentialsFault, setupFault: SetupFault | null = null) {
    super(`No credentials for the insurer: ${fault}`);
    this.fault = fault;
    this.setupFault = setupFault;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Reports whether a value is an error of this class, even if another copy of this package created the error. */
  static isInstance(value: unknown): value is CredentialsError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** Content of fixed credentials, and a function that reports their replacement. */
export interface FixedParts {
  readonly content: CredentialContent;
  /** Returns true if the operator has replaced these credentials, so that a retry is useful. */
  readonly isReplaced: () => boolean;
}

/** Returns credentials that the operator configured, which need no fetch. */
export function fixedCredentials({ content, isReplaced }: FixedParts): Credentials {
  const presented: PresentedCredentials = { ...content, refused: isReplaced };
  return { current: () => presented, ready: async () => {}, waiting: () => 0, ageMs: () => null };
}

/** Combines several credentials that are sent together, such as an API key and a token. */
export function jointCredentials(parts: readonly Credentials[]): Credentials {
  return {
    current() {
      const all = parts.map((part) => part.current());
      const presented = all.filter((one) => one !== null);
      if (presented.length < all.length) return null;
      return {
        headers: Object.assign({}, ...presented.map(({ headers }) => headers)),
        login: presented.find(({ login }) => login !== null)?.login ?? null,
        // The refusal is reported to all parts of the credentials, because the insurer does not name the part that it
        // refused.
        refused: () => presented.map((one) => one.refused()).includes(true),
      };
    },
    async ready(wait) {
      await Promise.all(parts.map((part) => part.ready(wait)));
    },
    waiting: () => Math.max(0, ...parts.map((part) => part.waiting())),
    ageMs() {
      const ages = parts.map((part) => part.ageMs()).filter((age) => age !== null);
      return ages.length === 0 ? null : Math.max(...ages);
    },
  };
}
