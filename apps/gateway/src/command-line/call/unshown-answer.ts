/** What is known of a call that was answered. */
export interface Answered {
  /** Whether the call may have changed something at the insurer. */
  readonly acted: boolean;
  /** What a submission was sent with; null for other kinds. */
  readonly idempotencyKey: string | null;
  readonly submissionId: string | null;
  /** The insurer's own identifier of what it created, where the answer has one. */
  readonly insurerId: string | null;
  readonly requestId: string | null;
}

/** A call was answered, and its answer could not be written; its `cause` says why. */
export class UnshownAnswerError extends Error {
  readonly answered: Answered;

  constructor(answered: Answered, cause: unknown) {
    super(`${answered.acted ? "carried out" : "answered"}, its answer could not be written`, {
      cause,
    });
    this.answered = answered;
  }
}
