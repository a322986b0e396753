import { channel } from "node:diagnostics_channel";

/** A place on the way of a submission. */
export type SubmissionPoint = "after_claim" | "before_send" | "after_answer" | "before_reply";

/** Who subscribes is told at once how far each submission has come: made for tracing, and for tests that end the process. */
const submissions = channel("insurance-gateway:submission");

/** Says that a submission has come to a point of its way. */
export function reached(point: SubmissionPoint, submissionId: string): void {
  if (submissions.hasSubscribers) submissions.publish({ point, submissionId });
}
