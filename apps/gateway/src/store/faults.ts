/** Detail of the error if an open store's files were removed, moved, replaced, overwritten or linked. */
export const FILES_MOVED = "the files were removed, replaced, overwritten or linked";

/** The store is unreachable, full or too slow. The error contains no value of the failed write. */
export class StoreUnavailableError extends Error {
  /** The lower layer's code, such as ECONNREFUSED or SQLITE_FULL. */
  readonly detail: string;
  /** True if the change may be written despite the error; false if it certainly was not. */
  readonly mayBeWritten: boolean;

  constructor(detail: string, mayBeWritten: boolean) {
    super(`The store is not available (${detail})`);
    this.detail = detail;
    this.mayBeWritten = mayBeWritten;
  }
}

/** The store must not be used: another process uses it, or a newer gateway wrote it. */
export class StoreRefusedError extends Error {
  /** Another start would fail in the same way, so the process ends with the exit code of a wrong configuration. */
  readonly mustBeCorrected = true;
}
