import { bodyFormatOf, bodyOf } from "../contract/body.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Checked, Fault } from "../contract/faults.ts";
import { isFilePart } from "../contract/files.ts";
import { checkPlain, withoutLineBreaks } from "../contract/input-checker.ts";
import type { Schema } from "../contract/schema.ts";
import { UnreadableFileError, type WrittenBody, writeBody } from "../transport/request-body.ts";

/** Body with its media type. */
export interface BodyWithMediaType {
  readonly mediaType: string;
  readonly value: unknown;
}

/**
 * Selects the media type of a body: the type that the calling program names, otherwise the first type that matches the
 * body.
 * @param faults - receives the faults of the body, by the schema of the named or the first type
 * @returns undefined for a request without a body or with an invalid body
 */
export function chooseBody(
  endpoint: Endpoint,
  given: unknown,
  named: string | undefined,
  faults: Fault[],
): BodyWithMediaType | undefined {
  const declared = bodyOf(endpoint);
  if (named !== undefined && declared?.media[named] === undefined) {
    faults.push({
      pointer: "/mediaType",
      code: "VALUE",
      message: `must be one of ${Object.keys(declared?.media ?? {}).join(", ")}`,
    });
    return undefined;
  }
  if (declared === undefined || (given === undefined && !declared.required)) return undefined;
  const candidates = Object.entries(declared.media).filter(
    ([mediaType]) => named === undefined || mediaType === named,
  );
  let first: readonly Fault[] | undefined;
  for (const [mediaType, schema] of candidates) {
    const checked = checkBody(mediaType, schema, given);
    if (checked.valid) return { mediaType, value: checked.value };
    first ??= checked.faults;
  }
  faults.push(...(first ?? []));
  return undefined;
}

function checkBody(mediaType: string, schema: Schema<unknown>, given: unknown): Checked<unknown> {
  const format = bodyFormatOf(mediaType);
  const isObject = format !== "text" && format !== "bytes";
  // An undefined field counts as missing, and a missing body counts as an empty object.
  const value = isObject ? withoutUndefined(given === undefined ? {} : given) : given;
  const checked = checkPlain(schema, value, "", withoutLineBreaks(value, mediaType));
  if (!checked.valid || format !== "bytes" || !isFilePart(given)) return checked;
  if (given.mediaType === mediaType) return checked;
  const message = `must be ${mediaType}`;
  return { valid: false, faults: [{ pointer: "/mediaType", code: "VALUE", message }] };
}

/** Removes undefined fields at every depth, as JSON does. Files are not changed. */
export function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null) return value;
  if (isFilePart(value) || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [name, withoutUndefined(field)]),
  );
}

/** Serializes a body. A file that cannot be read is a fault of the request. */
export function serializeBody(
  { mediaType, value }: BodyWithMediaType,
  faults: Fault[],
): WrittenBody | undefined {
  try {
    return writeBody(mediaType, value);
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    const message = "must be a file that can be read";
    faults.push({ pointer: `${error.pointer}/content/path`, code: "INVALID", message });
    return undefined;
  }
}
