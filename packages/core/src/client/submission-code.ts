import { errorAfterAttempts } from "./outcome.ts";
import { createResolve, resumeAll } from "./submission-queries.ts";
import { submit } from "./submit.ts";
import { unsentError } from "./unsent.ts";

/** The client's functions for submissions. */
export interface SubmissionCode {
  readonly concluded: typeof errorAfterAttempts;
  readonly resolverOf: typeof createResolve;
  readonly resumeAll: typeof resumeAll;
  readonly submit: typeof submit;
  readonly unsentError: typeof unsentError;
}

export const submissionCode: SubmissionCode = {
  concluded: errorAfterAttempts,
  resolverOf: createResolve,
  resumeAll,
  submit,
  unsentError,
};
