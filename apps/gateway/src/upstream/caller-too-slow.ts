/**
 * The time of a call ended while its caller did not read the document. The insurer did not fail, so that neither the log
 * nor the metrics have a problem.
 */
export class CallerTooSlowError extends Error {
  override readonly name = "CallerTooSlowError";

  constructor() {
    super("The caller reads the document too slowly");
  }
}
