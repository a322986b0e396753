import type { LimitsConfiguration } from "../configuration/file.ts";
import { Refusal } from "../problems/refusal.ts";
import { methodNotAllowed } from "../validation/guard.ts";
import { inBytes, inSeconds } from "./quantities.ts";

/** What Node says of bytes that it could not read as a request. */
export interface ReadingError extends Partial<Error> {
  readonly code?: string;
  /** The bytes that came last. */
  readonly rawPacket?: unknown;
}

/** The first line of a request of HTTP/1 (RFC 9112, section 3), whatever its method. */
const REQUEST_LINE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [^\s]+ HTTP\/1\.[01]\r?\n/;
/** Of a longer first line, the method is not looked for. */
const REQUEST_LINE_BYTES = 2_048;

/** Says what is wrong with bytes that could not be read as a request. */
export function refusalOfReading(error: ReadingError, limits: LimitsConfiguration): Refusal {
  const { code, rawPacket } = error;
  if (code === "HPE_HEADER_OVERFLOW")
    return new Refusal("HEADERS_TOO_LARGE", {
      detail: `The headers may have at most ${inBytes(limits.headerBytes)}.`,
    });
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return invalid(
      `The request did not arrive in time: its headers have ${inSeconds(limits.headersMs)}, all of it ${inSeconds(limits.requestMs)}.`,
    );
  if (code === "HPE_INVALID_METHOD" && beginsAsRequest(rawPacket)) return methodNotAllowed();
  return invalid("The request is not well-formed HTTP/1.1.");
}

/** The refusal of an expectation that is not met (RFC 9110, section 10.1.1). */
export function unmetExpectation(): Refusal {
  return invalid("The gateway meets no expectation other than 100-continue.");
}

/** Whether bytes begin with the first line of a request. */
export function beginsAsRequest(bytes: unknown): boolean {
  if (!(bytes instanceof Uint8Array)) return false;
  return REQUEST_LINE.test(Buffer.from(bytes.subarray(0, REQUEST_LINE_BYTES)).toString("latin1"));
}

function invalid(detail: string): Refusal {
  return new Refusal("INVALID_REQUEST", { detail });
}
