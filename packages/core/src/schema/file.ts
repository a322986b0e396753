import * as z from "zod/mini";
import { type FilePart, isFilePart, sizeOf } from "../contract/files.ts";

/** The rules for a file in a request. */
export interface FileRules {
  /** The allowed media types, in lower case without parameters. Default: any. */
  readonly mediaTypes?: readonly [string, ...string[]];
  /** The maximum size in bytes. Default: the limit of the whole body. */
  readonly maxBytes?: number;
}

/**
 * Creates the schema of a file: a field of a `multipart/form-data` body, or with `zodSchema` a whole body of bytes.
 * Its JSON Schema is OpenAPI's schema for bytes, with the rules in `x-file`.
 */
export function file({ maxBytes, mediaTypes }: FileRules = {}): z.ZodMiniType<FilePart, FilePart> {
  const rules = {
    ...(mediaTypes === undefined ? {} : { mediaTypes }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
  return z
    .custom<FilePart>(isFilePart, {
      error: "must be a file",
      params: { code: "TYPE" },
      abort: true,
    })
    .check(
      z.meta({ type: "string", format: "binary", "x-file": rules }),
      z.refine(({ mediaType }) => mediaTypes === undefined || mediaTypes.includes(mediaType), {
        error: `must be a file of type ${mediaTypes?.join(" or ")}`,
        params: { code: "VALUE" },
      }),
      z.refine((part) => maxBytes === undefined || (sizeOf(part) ?? 0) <= maxBytes, {
        error: `must have at most ${maxBytes} bytes`,
        params: { code: "LENGTH" },
      }),
    );
}
