import type { Fault } from "@insurance-gateway/core/contract";

/**
 * Matches control characters, bidirectional marks, line separators and all other invisible characters (Unicode, UAX
 * #44).
 */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Matches codes with the form of the codes in docs/errors.md; a newer gateway may have further codes. */
const CODE = /^[A-Z][A-Z_]{0,59}$/;
/** Matches a JSON Pointer (RFC 6901) of ordinary field names. */
const POINTER = /^(?:\/[\p{L}\p{N}_.~$@-]{0,64}){0,32}$/u;
/** Matches a UUID (RFC 9562). */
const REQUEST_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Replaces invisible characters, and characters that change how other characters are displayed, by escapes such as
 * `\u202e`. After the replacement, a JSON text still means the same value.
 */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Writes a value as JSON whose texts and names contain no invisible characters, even after parsing. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "string") return escapeInvisible(part);
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, member]) => [escapeInvisible(name), member]),
    );
  });
}

/**
 * Lists every scalar inside a JSON value on a separate line: the scalar's JSON Pointer (RFC 6901) and complete JSON,
 * without invisible characters. A scalar cannot look like two lines or like another scalar.
 */
export function valueLines(value: unknown, pointer = ""): readonly string[] {
  const parts = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (parts.length === 0) return [`${pointer}: ${escapeInvisible(JSON.stringify(value))}`];
  return parts.flatMap(([name, part]) => valueLines(part, `${pointer}/${pointerPart(name)}`));
}

function pointerPart(name: string): string {
  const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return escapeInvisible(JSON.stringify(escaped)).slice(1, -1);
}

/** Returns an error code of the gateway or an insurer; `UNKNOWN_CODE` if the code is malformed. */
export function checkedCode(code: string): string {
  return CODE.test(code) ? code : "UNKNOWN_CODE";
}

/** Returns the gateway's request id; null if the id is not a UUID. */
export function checkedRequestId(requestId: string | null): string | null {
  return requestId !== null && REQUEST_ID.test(requestId) ? requestId : null;
}

/** A fault that is safe to show to a model. */
export interface CheckedFault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** Replaces malformed codes and JSON Pointers by "?" and escapes invisible characters in messages. */
export function checkedFaults(faults: readonly Fault[]): readonly CheckedFault[] {
  return faults.map(({ code, message, pointer }) => ({
    pointer: POINTER.test(pointer) ? pointer : "?",
    code: CODE.test(code) ? code : "?",
    message: escapeInvisible(message),
  }));
}
