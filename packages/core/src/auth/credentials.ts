import type { CancellationSignal } from "../transport/transport.ts";

/** A user name and its password. */
export interface UserLogin {
  readonly username: string;
  readonly password: string;
}

/** What proves to an insurer who the gateway is. */
export interface CredentialContent {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** For a dialect that writes the user name and the password into its messages; null for any other. */
  readonly login: UserLogin | null;
}

/** The credentials of one request. */
export interface PresentedCredentials extends CredentialContent {
  /**
   * Reports that the insurer refused them with a 401. They are renewed once, however many calls report it; a report about
   * credentials that have been replaced since changes nothing.
   * @returns whether there are other credentials, or will be soon, so that the call is worth repeating
   */
  refused(): boolean;
}

/** How long a call waits for credentials. */
export interface CredentialsWait {
  /** In milliseconds. */
  readonly timeoutMs: number;
  /** Ends the wait of a caller who has gone; null for a call that is made to its end. */
  readonly signal: CancellationSignal | null;
}

/** Where the credentials of one insurer come from; all its calls share them. */
export interface Credentials {
  /** The credentials that count now; null while there are none. */
  current(): PresentedCredentials | null;
  /**
   * Waits until there are credentials.
   * @throws CredentialsError when there are none in time, or when they were refused to the gateway
   */
  ready(wait: CredentialsWait): Promise<void>;
  /** How many calls wait. */
  waiting(): number;
  /** How old the credentials are that count now, in milliseconds; null without any, and where they are not fetched. */
  ageMs(): number | null;
}

/**
 * Why credentials could not be fetched:
 * - `refused`: the token server, or the login, refused the gateway's own secret;
 * - `unreachable`: it could not be reached, failed, or asked to be called later;
 * - `unusable`: its answer has no credentials that can be sent to the insurer;
 * - `crowded`: too many calls wait for them;
 * - `cancelled`: the caller has gone.
 */
export type CredentialsFault = "refused" | "unreachable" | "unusable" | "crowded" | "cancelled";

const brand = Symbol.for("insurance-gateway.credentials-error");

/** There are no credentials. It holds no secret, and nothing that the token server answered. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
  readonly fault: CredentialsFault;

  constructor(fault: CredentialsFault) {
    super(`No credentials for the insurer: ${fault}`);
    this.fault = fault;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Recognises the error, also one of another copy of this package. */
  static isInstance(value: unknown): value is CredentialsError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** What fixed credentials are made of. */
export interface FixedParts {
  readonly content: CredentialContent;
  /** Whether the operator has replaced them, so that a call that the insurer refused is worth repeating with the new ones. */
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
        // All are renewed: the insurer does not say which it refused.
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
