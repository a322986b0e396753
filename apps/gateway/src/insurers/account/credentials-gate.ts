import { oldCredentialsRefusal, Refusal } from "@insurance-gateway/core/runtime";

/** Records whether the insurer refuses an account's credentials; keeps its state when settings change. */
export type CredentialsGate = ReturnType<typeof createCredentialsGate>;

/** The parts of the gate of one account. */
export interface CredentialsGateParts {
  /** Returns milliseconds since an arbitrary instant. */
  readonly now: () => number;
  /** Called when the insurer begins to refuse the credentials. */
  readonly refused: () => void;
  /** Called when the insurer accepts the credentials again. */
  readonly recovered: () => void;
}

/** Minimum time between two trials of the same refused credentials, in milliseconds. */
const TRY_EVERY_MS = 10_000;

/** Creates an open gate. */
export function createCredentialsGate({ now, recovered, refused }: CredentialsGateParts) {
  let refusedAt: number | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let trial: Promise<void> | null = null;

  function accepted(begunAt: number): void {
    // A call that began before the refusal proves nothing about the credentials now.
    if (refusedAt === null || begunAt < refusedAt) return;
    refusedAt = null;
    recovered();
  }

  async function tryWith(read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      // The trial did not reach the insurer, so that the next trial need not wait.
      if (error instanceof Refusal && error.details.attempt === undefined)
        triedAt = Number.NEGATIVE_INFINITY;
    } finally {
      trial = null;
    }
  }

  return {
    isClosed: (): boolean => refusedAt !== null,
    /**
     * Waits until a read has shown whether the insurer accepts the credentials again. One read tries the credentials
     * for all waiting submissions.
     * @param read - null if the submission itself is the trial
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
    /** Records that a call that began at `begunAt` was answered. */
    accepted,
    /** Records the error of a call that began at `begunAt`. */
    failed(error: unknown, begunAt: number): void {
      const { attempt, credentialsRefused, credentialsReplaced, credentialsSuspected } =
        error instanceof Refusal ? error.details : {};
      if (credentialsRefused === true) {
        const isNew = refusedAt === null;
        refusedAt = now();
        if (isNew) refused();
        // Other credentials, or a first suspicion, are worth a trial at once.
        const isWorthTrial =
          credentialsReplaced === true || (credentialsSuspected === true && isNew);
        triedAt = isWorthTrial ? Number.NEGATIVE_INFINITY : refusedAt;
      } else if (attempt === "answered") accepted(begunAt);
    },
    /** Records that calls use other credentials from now on, which are worth a trial at once. */
    credentialsReplaced(): void {
      triedAt = Number.NEGATIVE_INFINITY;
    },
  };
}
