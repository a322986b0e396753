import type { Schema } from "./schema.ts";

/** The long form of a declared request body. */
export interface BodyDeclaration<T = unknown> {
  /** True if a request must have a body. Default: true. */
  readonly required?: boolean;
  /**
   * The schema for each media type: an object for a form, a `string` for text, and a `file()` for bytes. A client
   * sends the first media type whose schema accepts the body, or the type in the call's option `mediaType`.
   */
  readonly media: Readonly<Record<string, Schema<T>>>;
  /** The maximum size in bytes, up to 20 MB. Default: the gateway's limit. */
  readonly maxBytes?: number;
}

/** The property of an endpoint that declares the request body. A schema without a media type declares JSON. */
export interface WithBody {
  readonly body?: Schema<unknown> | BodyDeclaration;
}

/** A declared request body with all defaults filled in. */
export interface RequestBody extends Required<Omit<BodyDeclaration, "maxBytes">> {
  /** Maximum size in bytes; null for the gateway's own limit. */
  readonly maxBytes: number | null;
}

/** The format of a body: JSON, a URL-encoded form, a multipart form with files, text, or unchanged bytes. */
export type BodyFormat = "json" | "form" | "multipart" | "text" | "bytes";

/** Maximum size that an endpoint can declare for a body, in bytes. Also the default limit of a body with files. */
export const MOST_BODY_BYTES: number = 20 * 1024 * 1024;

/** Returns the declared body of an endpoint, or undefined if the endpoint has no body. */
export function bodyOf({ body }: WithBody): RequestBody | undefined {
  if (body === undefined) return undefined;
  if (isSchema(body))
    return { required: true, media: { "application/json": body }, maxBytes: null };
  return { required: body.required ?? true, media: body.media, maxBytes: body.maxBytes ?? null };
}

/** Returns the schema of an endpoint's JSON body, or undefined if the endpoint has no JSON body. */
export function jsonBodyOf(endpoint: WithBody): Schema<unknown> | undefined {
  const media = Object.entries(bodyOf(endpoint)?.media ?? {});
  return media.find(([mediaType]) => isJson(mediaType))?.[1];
}

/** One media type of a body with its schema. */
export interface BodyMedia {
  readonly mediaType: string;
  readonly schema: Schema<unknown>;
}

/** Returns the first declared media type that has one of the formats, or undefined. */
export function bodyMediaOf(
  endpoint: WithBody,
  formats: readonly BodyFormat[],
): BodyMedia | undefined {
  const media = Object.entries(bodyOf(endpoint)?.media ?? {});
  const found = media.find(([mediaType]) => formats.includes(bodyFormatOf(mediaType)));
  return found && { mediaType: found[0], schema: found[1] };
}

/** Returns the format in which a body of a media type is read. */
export function bodyFormatOf(mediaType: string): BodyFormat {
  if (isJson(mediaType)) return "json";
  if (mediaType === "application/x-www-form-urlencoded") return "form";
  if (mediaType === "multipart/form-data") return "multipart";
  return mediaType.startsWith("text/") ? "text" : "bytes";
}

/** Reports whether a body of this format can contain files. The gateway never keeps files in memory. */
export function hasFiles(format: BodyFormat): boolean {
  return format === "multipart" || format === "bytes";
}

/** Reports whether a media type is JSON or a format based on JSON (RFC 6839, section 3.1). */
export function isJson(mediaType: string): boolean {
  return mediaType === "application/json" || /^application\/[^;\s]+\+json$/.test(mediaType);
}

/** Reports whether a declaration is a schema alone, the short form of a declared body or answer. */
export function isSchema(declared: object): declared is Schema<unknown> {
  return "~standard" in declared;
}
