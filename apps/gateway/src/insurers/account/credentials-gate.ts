import { oldCredentialsRefusal, Refusal } from "@insurance-gateway/core/runtime";

/** Whether the insurer refuses an account's credentials. It remembers that through every change of settings. */
export type CredentialsGate = ReturnType<typeof createCredentialsGate>;

/** The parts of the gate of one account. */
export interface CredentialsGateParts {
  /** Milliseconds since some instant. */
  readonly now: () => number;
  /** Called when the insurer begins to refuse the credentials. */
  readonly refused: () => void;
  /** Called when the insurer takes the credentials again. */
  readonly recovered: () => void;
}

/** While the insurer refuses the same credentials, they are tried again at most once in this time, in milliseconds. */
const TRY_EVERY_MS = 10_000;

/** Creates a gate that is open. */
export function createCredentialsGate({ now, recovered, refused }: CredentialsGateParts) {
  let refusedAt: number | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let trial: Promise<void> | null = null;

  function accepted(begunAt: number): void {
    // A call from before the refusal says nothing about the credentials now.
    if (refusedAt === null || begunAt < refusedAt) return;
    refusedAt = null;
    recovered();
  }

  async function tryWith(read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      // It did not reach the insurer, so that the next trial need not wait.
      if (error instanceof Refusal && error.details.attempt === undefined)
        triedAt = Number.NEGATIVE_INFINITY;
    } finally {
      trial = null;
    }
  }

  return {
    isClosed: (): boolean => refusedAt !== null,
    /**
     * Waits until a read has shown whether the insurer takes the credentials again. One read tries them for all submissions
     * that wait.
     * @param read - null without one: then the submission is the trial
     * @param beginBy - when the submission must have begun, by `performance.now()`
     * @throws Refusal while the insurer refuses them
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
    /** A call that began then was answered. */
    accepted,
    /** A call that began then failed with this error. */
    failed(error: unknown, begunAt: number): void {
      const { attempt, credentialsRefused, credentialsReplaced, credentialsSuspected } =
        error instanceof Refusal ? error.details : {};
      if (credentialsRefused === true) {
        const isNew = refusedAt === null;
        refusedAt = now();
        if (isNew) refused();
        // With other credentials, or after a first suspicion, it is worth a trial at once.
        const isWorthTrial =
          credentialsReplaced === true || (credentialsSuspected === true && isNew);
        triedAt = isWorthTrial ? Number.NEGATIVE_INFINITY : refusedAt;
      } else if (attempt === "answered") accepted(begunAt);
    },
    /** Other credentials are sent from now on: they are worth a trial at once. */
    credentialsReplaced(): void {
      triedAt = Number.NEGATIVE_INFINITY;
    },
  };
}
