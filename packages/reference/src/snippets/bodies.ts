import { bodyFormatOf, encodeForm, hasFiles } from "@insurance-gateway/core/runtime";
import {
  addressOf,
  KEY_PLACEHOLDER,
  type SampleRequest,
  TOKEN_PLACEHOLDER,
} from "./sample-request.ts";

/** Returns the text of a request's body as a snippet sends it; null for a request without a body. */
export function bodyText({ body, mediaType }: Pick<SampleRequest, "body" | "mediaType">): {
  readonly mediaType: string;
  readonly text: string;
} | null {
  if (mediaType === null || body === undefined) return null;
  const format = bodyFormatOf(mediaType);
  if (format === "text") return { mediaType, text: String(body) };
  if (format === "json") return { mediaType, text: JSON.stringify(body) };
  const fields = encodeForm(body).map(([name, value]): [string, string] => [name, String(value)]);
  return { mediaType, text: new URLSearchParams(fields).toString() };
}

/** Reports whether a request contains files. Few tools can send files with one line. */
export function isUpload({ mediaType }: Pick<SampleRequest, "mediaType">): boolean {
  return mediaType !== null && hasFiles(bodyFormatOf(mediaType));
}

/** Writes a request with files for curl, which reads them from disk. */
export function curlUpload(request: SampleRequest): string {
  const { acts, body, files, headers, method, mediaType } = request;
  const parts =
    mediaType === "multipart/form-data"
      ? encodeForm(body).map(([name, value]) => {
          const type = files[name];
          const content =
            type === undefined
              ? `${name}=${String(value)}`
              : `${name}=@${String(value)};type=${type}`;
          // `--form-string` does not interpret the beginning of a text.
          return `${type === undefined ? "--form-string" : "--form"} ${quoted(content)}`;
        })
      : [`--header ${quoted(`Content-Type: ${mediaType}`)}`, `--data-binary ${quoted("@file")}`];
  return [
    `curl ${quoted(addressOf(request))}`,
    `--request ${method}`,
    `--header ${quoted(`Authorization: Bearer ${TOKEN_PLACEHOLDER}`)}`,
    ...Object.entries(headers).map(
      ([name, value]) => `--header ${quoted(`${name}: ${String(value)}`)}`,
    ),
    ...(acts ? [`--header ${quoted(`Idempotency-Key: ${KEY_PLACEHOLDER}`)}`] : []),
    ...parts,
  ].join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
