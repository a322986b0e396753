import type { GatewayInProcess } from "../../harness/gateway-in-process.ts";

/** Sends bytes as a form that this project's client would never write. */
export async function sendRaw(
  gateway: GatewayInProcess,
  body: string | Uint8Array,
  contentType = "multipart/form-data; boundary=b",
  path = "/photos",
): Promise<Record<string, unknown>> {
  const response = await fetch(`${gateway.address}/provider-m${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.token}`, "content-type": contentType },
    body: typeof body === "string" ? body : new Uint8Array(body),
  });
  const content: unknown = await response.json();
  return { httpStatus: response.status, ...Object(content) };
}

/** Writes a part of a form with the given headers. */
export function part(head: string, content = "x"): string {
  return `--b\r\n${head}\r\n\r\n${content}\r\n`;
}
/** Writes a text field of a form. */
export function field(name: string, content = "x"): string {
  return part(`Content-Disposition: form-data; name="${name}"`, content);
}
/** Writes the file of a form; `more` is added to the headers of the file's part. */
export function photo(more = "", content = "x"): string {
  return part(
    `Content-Disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png${more}`,
    content,
  );
}
/** The field `place` with a valid value. */
export const place: string = field("place", '{"reason":"x"}');
/** The fields that a form needs besides its file. */
export const texts: string = field("note") + place;
