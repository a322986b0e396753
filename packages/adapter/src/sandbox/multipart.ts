import type { FormEntry } from "@insurance-gateway/core/contract";

/**
 * Reads the parts of `multipart/form-data` (RFC 7578), all of which are in memory.
 * @param contentType - the header, with the boundary
 * @returns null for a body that is no such form
 */
export function partsOfForm(bytes: Uint8Array, contentType: string): readonly FormEntry[] | null {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) return null;
  // In Latin-1 every byte is one character.
  const sections = `\r\n${Buffer.from(bytes).toString("latin1")}`
    .split(`\r\n--${boundary}`)
    .slice(1, -1);
  const entries = sections.map(entryOf);
  return entries.every((entry) => entry !== null) ? entries : null;
}

function entryOf(section: string): FormEntry | null {
  const [head = "", ...rest] = section.split("\r\n\r\n");
  const content = new Uint8Array(Buffer.from(rest.join("\r\n\r\n"), "latin1"));
  const named = Buffer.from(head, "latin1").toString();
  const [, name] = /;\s*name="([^"]*)"/i.exec(named) ?? [];
  if (name === undefined) return null;
  const [, file] = /;\s*filename="([^"]*)"/i.exec(named) ?? [];
  const [, mediaType = "application/octet-stream"] =
    /^content-type:\s*([^\s;]+)/im.exec(named) ?? [];
  return [
    unescaped(name),
    file === undefined
      ? new TextDecoder().decode(content)
      : { name: unescaped(file), mediaType: mediaType.toLowerCase(), content },
  ];
}

/** What would end a name is percent-encoded (HTML, "Multipart form data"). */
function unescaped(text: string): string {
  return text.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
}
