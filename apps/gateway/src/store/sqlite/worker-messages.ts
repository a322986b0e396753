/** Settings of the worker thread. */
export interface WorkerSettings {
  readonly file: string;
  /**
   * `serve`: only this process may serve from the file; `beside`: a command that works while a gateway serves;
   * `exclusive`: a command that works only while no gateway serves, and creates or checks the tables itself.
   */
  readonly mode: "serve" | "beside" | "exclusive";
  /** With `serve`: whether the store must exist and be made for real insurers. Default: a missing store is created. */
  readonly mustExist?: boolean | undefined;
  /** Maximum of the file's pages, of 4 kB each. Default: the size of the disk. */
  readonly maximumPages?: number | undefined;
}

/** An operation that the thread must run. */
export interface WorkerRequest {
  readonly number: number;
  readonly name: string;
  readonly parameters: readonly unknown[];
}

/** A message to the thread: the operations of one turn of the event loop, or the request to close. */
export type WorkerMessage = readonly WorkerRequest[] | "close";

/** The result of one operation. */
export type OperationReply =
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly unavailable: string; readonly mayBeWritten: boolean };

/** The result of opening the file, or of the operations of one flush. */
export type WorkerReply =
  /** The id of the opened store. */
  | { readonly opened: string }
  | { readonly refused: string }
  | { readonly unopened: string }
  | readonly OperationReply[];
