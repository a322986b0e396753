/** The settings of the worker. */
export interface WorkerSettings {
  readonly file: string;
  /**
   * `serve`: this process alone may serve from the file; `beside`: a command that works while a gateway serves; `alone`:
   * one that works only while none does, and looks after the schema itself.
   */
  readonly mode: "serve" | "beside" | "alone";
  /** With `serve`, whether a store must be there that was made for insurers; if left out, a new one is made. */
  readonly mustExist?: boolean | undefined;
  /** Maximum of pages of 4 kB in the file. Default: the size of the disk. */
  readonly maximumPages?: number | undefined;
}

/** One operation that is asked for. */
export interface WorkerRequest {
  readonly number: number;
  readonly name: string;
  readonly parameters: readonly unknown[];
}

/** A message to the thread: the operations of one turn of the event loop, or the order to end. */
export type WorkerOrder = readonly WorkerRequest[] | "close";

/** The result of one operation. */
export type OperationReply =
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly unavailable: string; readonly mayBeWritten: boolean };

/** The result of opening the file, or of the operations of one flush. */
export type WorkerReply =
  /** With the id of the store. */
  | { readonly opened: string }
  | { readonly refused: string }
  | { readonly unopened: string }
  | readonly OperationReply[];
