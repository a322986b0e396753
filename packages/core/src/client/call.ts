import type { ResponseHead } from "./answer.ts";

/** Data of an answer with its status and head. */
export interface WithResponse<Data, Status extends number = number> {
  /** Status of the answer. It determines the type of `data` if an endpoint's answers differ by status. */
  readonly status: Status;
  /** Data of the answer; undefined for an answer without a body. */
  readonly data: Data;
  readonly response: ResponseHead;
}

/** A running call. Await it to get the data, or await `withResponse()` to get the head as well. */
export interface Call<Data, Answer = WithResponse<Data>> extends Promise<Data> {
  /** Returns the data with status, headers and request id. */
  withResponse(): Promise<Answer>;
}

/**
 * Wraps the promise of an answer as a call. Both ways to await the call share one promise, so a failure is reported
 * once.
 */
export function asCall<Data>(answer: Promise<WithResponse<Data>>): Call<Data> {
  const data = (): Promise<Data> => answer.then((whole) => whole.data);
  return {
    then: (fulfilled, rejected) => data().then(fulfilled, rejected),
    catch: (rejected) => data().catch(rejected),
    finally: (done) => data().finally(done),
    withResponse: () => answer,
    [Symbol.toStringTag]: "Promise",
  };
}
