import { check, type Endpoint, type Schema } from "@insurance-gateway/core/contract";
import { bodyFormatOf, bodyOf, formFieldsOf, isFilePart } from "@insurance-gateway/core/runtime";
import type { JsonSchema, MediaType, RequestBodyObject } from "./open-api.ts";
import { examplesOf, type NamedExamples } from "./operation-examples.ts";

/**
 * Writes the request body of an endpoint in each media type; undefined if the endpoint has no body.
 * @param place - adds a schema to the document's named schemas
 */
export function requestBodyOf(
  endpoint: Endpoint,
  examples: NamedExamples,
  place: (schema: Schema<unknown>) => JsonSchema,
): RequestBodyObject | undefined {
  const body = bodyOf(endpoint);
  if (body === undefined) return undefined;
  const media = Object.entries(body.media);
  return {
    required: body.required,
    content: Object.fromEntries(
      media.map(([mediaType, schema]): [string, MediaType] => [
        mediaType,
        {
          schema: place(schema),
          ...(bodyFormatOf(mediaType) === "bytes"
            ? {}
            : {
                examples: examplesOf(examples, ({ request }) => {
                  const value: unknown = Reflect.get(request, "body");
                  // An example belongs to the media types whose schema it matches.
                  return media.length === 1 || check(schema, value).valid
                    ? withoutFiles(value)
                    : undefined;
                }),
              }),
          ...(bodyFormatOf(mediaType) === "multipart" ? { encoding: encodingOf(schema) } : {}),
        },
      ]),
    ),
  };
}

/** Returns the media types of a form's files. */
function encodingOf(schema: Schema<unknown>): NonNullable<MediaType["encoding"]> {
  const files = Object.entries(formFieldsOf(schema)).filter(([, { type }]) => type === "file");
  return Object.fromEntries(
    files.map(([name, { mediaTypes }]) => [
      name,
      { contentType: mediaTypes?.join(", ") ?? "application/octet-stream" },
    ]),
  );
}

/** Replaces the bytes of files by file names. */
function withoutFiles(value: unknown): unknown {
  if (isFilePart(value)) return value.name ?? "file";
  if (Array.isArray(value)) return value.map(withoutFiles);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutFiles(member)]),
  );
}
