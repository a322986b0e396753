import type { FormEntry } from "@insurance-gateway/core/runtime";

/**
 * Parses a multipart form (RFC 7578) in memory.
 * @param contentType - the header with the boundary
 * @returns null if the body is not a multipart form
 */
export function parseMultipartForm(
  bytes: Uint8Array,
  contentType: string,
): readonly FormEntry[] | null {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) return null;
  // In Latin-1, every byte is one character.
  const sections = `\r\n${Buffer.from(bytes).toString("latin1")}`
    .split(`\r\n--${boundary}`)
    .slice(1, -1);
  const entries = sections.map(parseFormEntry);
  return entries.every((entry) => entry !== null) ? entries : null;
}

function parseFormEntry(section: string): FormEntry | null {
  const [head = "", ...rest] = section.split("\r\n\r\n");
  const content = new Uint8Array(Buffer.from(rest.join("\r\n\r\n"), "latin1"));
  const named = Buffer.from(head, "latin1").toString();
  const [, name] = /;\s*name="([^"]*)"/i.exec(named) ?? [];
  if (name === undefined) return null;
  const [, file] = /;\s*filename="([^"]*)"/i.exec(named) ?? [];
  const [, mediaType = "application/octet-stream"] =
    /^content-type:\s*([^\s;]+)/im.exec(named) ?? [];
  return [
    decodeName(name),
    file === undefined
      ? new TextDecoder().decode(content)
      : { name: decodeName(file), mediaType: mediaType.toLowerCase(), content },
  ];
}

/** Decodes the percent-encoded characters that would otherwise end a name (HTML, "Multipart form data"). */
function decodeName(text: string): string {
  return text.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
}
