/** The detail of a store whose files were removed, moved, replaced or overwritten while it is open, or got a hard link. */
export const FILES_MOVED = "the files were removed, replaced, overwritten or linked";

/** The store is unreachable, full or too slow. The error contains no value that was to be written. */
export class StoreUnavailableError extends Error {
  /** The lower layer's code, such as ECONNREFUSED or SQLITE_FULL. */
  readonly detail: string;
  /** Whether it may have been written all the same; otherwise it is certain that it was not. */
  readonly mayBeWritten: boolean;

  constructor(detail: string, mayBeWritten: boolean) {
    super(`The store is not available (${detail})`);
    this.detail = detail;
    this.mayBeWritten = mayBeWritten;
  }
}

/** A store that must not be used: another process has it, or a newer gateway wrote it. */
export class StoreRefusedError extends Error {
  /** Another start fails in the same way: the process ends with the exit code of a wrong configuration. */
  readonly mustBeCorrected = true;
}
