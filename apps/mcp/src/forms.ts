import type { Fault } from "@insurance-gateway/core/contract";
import { visible } from "./visible.ts";

/** As the table of docs/errors.md has them; a newer gateway may know more. */
const CODE = /^[A-Z][A-Z_]{0,59}$/;
/** A JSON Pointer (RFC 6901) of names as fields have them. */
const POINTER = /^(?:\/[\p{L}\p{N}_.~$@-]{0,64}){0,32}$/u;
/** RFC 9562. */
const REQUEST_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A code that came from outside, or the word for one that is none. */
export function shownCode(code: string): string {
  return CODE.test(code) ? code : "UNKNOWN_CODE";
}

/** An id that came from outside, or null when it is none of the gateway's. */
export function shownRequestId(requestId: string | null): string | null {
  return requestId !== null && REQUEST_ID.test(requestId) ? requestId : null;
}

/** Faults that came from outside: what has not its form is "?", and no character of a message is hidden. */
export function shownFaults(faults: readonly Fault[]): readonly ShownFault[] {
  return faults.map(({ code, message, pointer }) => ({
    pointer: POINTER.test(pointer) ? pointer : "?",
    code: CODE.test(code) ? code : "?",
    message: visible(message),
  }));
}

/** A fault as a model is shown it. */
export interface ShownFault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}
