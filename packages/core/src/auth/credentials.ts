import type { CancellationSignal, SetupFault } from "../transport/transport.ts";

/** A user name and its password. */
export interface UserLogin {
  readonly username: string;
  readonly password: string;
}

/** The credentials that authenticate the gateway at an insurer. */
export interface CredentialContent {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** For a dialect that writes the user name and the password into its messages; otherwise null. */
  readonly login: UserLogin | null;
}

/** The credentials of one request. */
export interface PresentedCredentials extends CredentialContent {
  /**
   * Reports that the insurer refused them with a 401. They are renewed once, however many calls report it. A report
   * about credentials that were replaced in the meantime has no effect.
   * @returns whether there are other credentials, or will be soon, so that a retry is useful
   */
  refused(): boolean;
}

/** How long a call waits for credentials. */
export interface CredentialsWait {
  /** In milliseconds. */
  readonly timeoutMs: number;
  /** Aborted if the client disconnects; null for a call that is completed in any case. */
  readonly signal: CancellationSignal | null;
}

/** The source of one insurer's credentials, which all its calls share. */
export interface Credentials {
  /** The current credentials; null if there are none. */
  current(): PresentedCredentials | null;
  /**
   * Waits until there are credentials.
   * @throws CredentialsError if there are none in time, or if the token server refused them
   */
  ready(wait: CredentialsWait): Promise<void>;
  /** The number of waiting calls. */
  waiting(): number;
  /** The age of the current credentials in milliseconds; null if there are none, or if they are not fetched. */
  ageMs(): number | null;
}

/**
 * Why credentials could not be fetched:
 * - `refused`: the token server, or the login, refused the gateway's own secret;
 * - `unreachable`: it could not be reached, failed, or asked to be called later;
 * - `unusable`: its answer has no valid credentials;
 * - `crowded`: too many calls wait for them;
 * - `cancelled`: the client disconnected.
 */
export type CredentialsFault = "refused" | "unreachable" | "unusable" | "crowded" | "cancelled";

const brand = Symbol.for("insurance-gateway.credentials-error");

/** There are no credentials. The error contains no secret, and nothing of the token server's answer. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
  readonly fault: CredentialsFault;
  /** Which configuration of the connection to the token server has to be corrected; null for any other failure. */
  readonly setupFault: SetupFault | null;

  constructor(fault: CredentialsFault, setupFault: SetupFault | null = null) {
    super(`No credentials for the insurer: ${fault}`);
    this.fault = fault;
    this.setupFault = setupFault;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Whether a value is this error, also if another copy of this package created it. */
  static isInstance(value: unknown): value is CredentialsError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** The content of fixed credentials. */
export interface FixedParts {
  readonly content: CredentialContent;
  /** Whether the operator has replaced them, so that a retry with the new ones is useful. */
  readonly isReplaced: () => boolean;
}

/** Credentials that are not fetched. */
export function fixedCredentials({ content, isReplaced }: FixedParts): Credentials {
  const presented: PresentedCredentials = { ...content, refused: isReplaced };
  return { current: () => presented, ready: async () => {}, waiting: () => 0, ageMs: () => null };
}

/** Several credentials that are sent together, such as an API key and a token. */
export function jointCredentials(parts: readonly Credentials[]): Credentials {
  return {
    current() {
      const all = parts.map((part) => part.current());
      const presented = all.filter((one) => one !== null);
      if (presented.length < all.length) return null;
      return {
        headers: Object.assign({}, ...presented.map(({ headers }) => headers)),
        login: presented.find(({ login }) => login !== null)?.login ?? null,
        // Renew all of them, because the insurer does not report which one it refused.
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
