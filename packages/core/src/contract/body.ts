import type { Endpoint } from "./endpoint.ts";
import type { Schema } from "./schema.ts";

/** A request body in its long form. */
export interface BodyDeclaration<T = unknown> {
  /** Whether a request must have one; true when left out. */
  readonly required?: boolean;
  /**
   * Its schema in each media type, which `bodyFormatOf` reads: an object for a form, a `string` for text, and a `file()`
   * for bytes. A client sends the first that fits; the option `mediaType` of a call chooses.
   */
  readonly media: Readonly<Record<string, Schema<T>>>;
  /** The most bytes it may have, at most 20 MB; the gateway's limit when left out. */
  readonly maxBytes?: number;
}

/** A request body with everything said. */
export interface RequestBody extends Required<Omit<BodyDeclaration, "maxBytes">> {
  /** Null for the gateway's own limit. */
  readonly maxBytes: number | null;
}

/**
 * How a body is written: JSON; a form in the URL's encoding, or in parts with files; text; or bytes, which pass as they
 * are.
 */
export type BodyFormat = "json" | "form" | "multipart" | "text" | "bytes";

/** The largest body that an endpoint can declare, and the limit of one with files that declares none, in bytes. */
export const MOST_BODY_BYTES: number = 20 * 1024 * 1024;

/** The body that an endpoint takes; undefined for none. */
export function bodyOf({ body }: Pick<Endpoint, "body">): RequestBody | undefined {
  if (body === undefined) return undefined;
  if (isSchema(body))
    return { required: true, media: { "application/json": body }, maxBytes: null };
  return { required: body.required ?? true, media: body.media, maxBytes: body.maxBytes ?? null };
}

/** The schema of an endpoint's JSON body; undefined where it takes none. */
export function jsonBodyOf(endpoint: Pick<Endpoint, "body">): Schema<unknown> | undefined {
  const media = Object.entries(bodyOf(endpoint)?.media ?? {});
  return media.find(([mediaType]) => isJson(mediaType))?.[1];
}

/** One media type of a body with its schema. */
export interface BodyMedia {
  readonly mediaType: string;
  readonly schema: Schema<unknown>;
}

/** The first media type of an endpoint's body that has one of the formats; undefined where there is none. */
export function bodyMediaOf(
  endpoint: Pick<Endpoint, "body">,
  formats: readonly BodyFormat[],
): BodyMedia | undefined {
  const media = Object.entries(bodyOf(endpoint)?.media ?? {});
  const found = media.find(([mediaType]) => formats.includes(bodyFormatOf(mediaType)));
  return found && { mediaType: found[0], schema: found[1] };
}

/** How a body or an answer of a media type is written. */
export function bodyFormatOf(mediaType: string): BodyFormat {
  if (isJson(mediaType)) return "json";
  if (mediaType === "application/x-www-form-urlencoded") return "form";
  if (mediaType === "multipart/form-data") return "multipart";
  return mediaType.startsWith("text/") ? "text" : "bytes";
}

/** Whether bodies of a format can have files, which are never kept in memory. */
export function hasFiles(format: BodyFormat): boolean {
  return format === "multipart" || format === "bytes";
}

/** Whether a media type is JSON or a format on top of it (RFC 6839, section 3.1). */
export function isJson(mediaType: string): boolean {
  return mediaType === "application/json" || /^application\/[^;\s]+\+json$/.test(mediaType);
}

/** Whether a declaration is a schema alone, the short form of everything that has one. */
export function isSchema(declared: object): declared is Schema<unknown> {
  return "~standard" in declared;
}
