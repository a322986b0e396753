import { bodyFormatOf, bodyOf } from "../contract/body.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { decodeForm, type FormEntry, formFieldsOf } from "../contract/form.ts";
import type { RawInput } from "../contract/input-checker.ts";

/** A body as the declaration describes it, not yet validated. */
export type DeclaredBody = Required<Pick<RawInput, "body" | "mediaType">>;

/**
 * Parses the body of a request by its media type: JSON, a form, a text or a file.
 * @param contentType - the header `Content-Type`; "" for a missing header
 * @throws SyntaxError or TypeError if the body does not have this type
 */
export async function readDeclaredBody(
  endpoint: Pick<Endpoint, "body">,
  contentType: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<DeclaredBody> {
  const [named = ""] = contentType.split(";", 1);
  const mediaType = named.trim().toLowerCase();
  const schema = bodyOf(endpoint)?.media[mediaType];
  const form = (entries: readonly FormEntry[]): unknown =>
    decodeForm(entries, schema === undefined ? {} : formFieldsOf(schema)).value;
  const text = (): string => new TextDecoder().decode(bytes);
  switch (bodyFormatOf(mediaType)) {
    case "json":
      return { mediaType, body: JSON.parse(text()) };
    case "form":
      return { mediaType, body: form([...new URLSearchParams(text())]) };
    case "text":
      return { mediaType, body: text() };
    case "bytes":
      return { mediaType, body: { mediaType, content: bytes } };
    case "multipart":
      return { mediaType, body: form(await partsOf(contentType, bytes)) };
  }
}

async function partsOf(
  contentType: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<readonly FormEntry[]> {
  const headers = { "content-type": contentType };
  const parts = await new Response(bytes, { headers }).formData();
  const entries = [...parts].map(
    async ([name, value]): Promise<FormEntry> => [
      name,
      typeof value === "string"
        ? value
        : {
            name: value.name,
            mediaType: value.type,
            content: new Uint8Array(await value.arrayBuffer()),
          },
    ],
  );
  return Promise.all(entries);
}
