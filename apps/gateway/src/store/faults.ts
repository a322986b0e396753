/** Detail of the error for an open store whose files were removed, moved, replaced, overwritten or linked. */
export const FILES_MOVED = "the files were removed, replaced, overwritten or linked";

/** Error of a store that is unreachable, full or too slow. The error contains no value of the failed write. */
export class StoreUnavailableError extends Error {
  /** Code of the system or the database, such as ECONNREFUSED or SQLITE_FULL. */
  readonly detail: string;
  /** True if the change may be written despite the error; false if the change certainly was not written. */
  readonly mayBeWritten: boolean;

  constructor(detail: string, mayBeWritten: boolean) {
    super(`The store is not available (${detail})`);
    this.detail = detail;
    this.mayBeWritten = mayBeWritten;
  }
}

/** Error of a store that must not be used, for example because another process uses it or a newer gateway wrote it. */
export class StoreRefusedError extends Error {
  /** True, because a second start would fail in the same way. The exit code is that of a wrong configuration. */
  readonly mustBeCorrected = true;
}
