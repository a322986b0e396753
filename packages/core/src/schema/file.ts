import * as z from "zod/mini";
import { type FilePart, isFilePart, sizeOf } from "../contract/file-part.ts";

/** What a file in a request may be. */
export interface FileRules {
  /** The types it may have, in lower case without parameters; any when left out. */
  readonly mediaTypes?: readonly [string, ...string[]];
  /** The most bytes it may have; as many as the whole body when left out. */
  readonly maxBytes?: number;
}

/**
 * A file: a field of a `multipart/form-data` body, or with `sealed` a whole body of bytes. Its schema in documents is that
 * of OpenAPI for bytes; `x-file` has the rules.
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
