import { oldCredentialsRefusal, Refusal } from "@insurance-gateway/core/runtime";

/** Stops submissions while the insurer refuses an account's credentials. A reload does not change the gate's state. */
export type CredentialsGate = ReturnType<typeof createCredentialsGate>;

/** Arguments of `createCredentialsGate`. */
export interface CredentialsGateParts {
  /** Returns milliseconds since an arbitrary instant. */
  readonly now: () => number;
  /** Called when the insurer begins to refuse the credentials. */
  readonly refused: () => void;
  /** Called when the insurer accepts the credentials again. */
  readonly recovered: () => void;
}

/** Minimum time between two attempts to use the same refused credentials, in milliseconds. */
const TRY_EVERY_MS = 10_000;

/** Creates a gate that lets submissions pass. */
export function createCredentialsGate({ now, recovered, refused }: CredentialsGateParts) {
  let refusedAt: number | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let trial: Promise<void> | null = null;

  function accepted(begunAt: number): void {
    // A call that began before the refusal does not show whether the credentials work now.
    if (refusedAt === null || begunAt < refusedAt) return;
    refusedAt = null;
    recovered();
  }

  async function tryWith(read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      // The trial of the credentials did not reach the insurer, so the next trial may follow at once.
      if (error instanceof Refusal && error.details.attempt === undefined)
        triedAt = Number.NEGATIVE_INFINITY;
    } finally {
      trial = null;
    }
  }

  return {
    isClosed: (): boolean => refusedAt !== null,
    /**
     * Waits until the insurer accepts the credentials again. One read tries the credentials for all waiting
     * submissions.
     * @param read - sends the read; null if the submission itself tries the credentials
     * @param beginBy - latest start of the submission, by `performance.now()`
     * @throws Refusal while the insurer refuses the credentials
     */
    async opened(read: (() => Promise<void>) | null, beginBy: number): Promise<void> {
      if (trial === null) {
        if (now() - triedAt < TRY_EVERY_MS) throw oldCredentialsRefusal();
        triedAt = now();
        if (read === null) return;
        trial = tryWith(read);
      }
      await trial;
      if (refusedAt !== null || performance.now() > beginBy) throw oldCredentialsRefusal();
    },
    /** Records that the insurer answered a call that began at `begunAt`, which shows that the credentials work. */
    accepted,
    /** Records the error of a call that began at `begunAt`; the error may show that the credentials are refused. */
    failed(error: unknown, begunAt: number): void {
      const { attempt, credentialsRefused, credentialsReplaced, credentialsSuspected } =
        error instanceof Refusal ? error.details : {};
      if (credentialsRefused === true) {
        const isNew = refusedAt === null;
        refusedAt = now();
        if (isNew) refused();
        // New credentials may be tried at once, and so may credentials whose refusal is only suspected.
        const isWorthTrial =
          credentialsReplaced === true || (credentialsSuspected === true && isNew);
        triedAt = isWorthTrial ? Number.NEGATIVE_INFINITY : refusedAt;
      } else if (attempt === "answered") accepted(begunAt);
    },
    /** Records that later calls use other credentials, which may be tried at once. */
    credentialsReplaced(): void {
      triedAt = Number.NEGATIVE_INFINITY;
    },
  };
}
