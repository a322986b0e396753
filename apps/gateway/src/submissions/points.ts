import { channel } from "node:diagnostics_channel";

/** A step of a submission. */
export type SubmissionPoint = "after_claim" | "before_send" | "after_answer" | "before_reply";

/** Subscribers are called synchronously at each step: for tracing, and for tests that end the process there. */
const submissions = channel("insurance-gateway:submission");

/** Publishes that a submission has reached a step. */
export function reached(point: SubmissionPoint, submissionId: string): void {
  if (submissions.hasSubscribers) submissions.publish({ point, submissionId });
}
