import { type FailureRow, valueAt } from "@insurance-gateway/core/contract";
import { type InsurerFailure, isHtml, isJson } from "@insurance-gateway/core/runtime";

/** Statuses with which no proxy answers in the insurer's place. With 200, a proxy sends its own page, or an error. */
const NEVER_OF_PROXIES = [201, 202, 204];

/**
 * Reports whether an answer that is declared without content is the success that its status states. Some insurers
 * still send a body: `OK`, or JSON. JSON may be an error, which only the insurer's declared error format can show.
 * @param rows - the rows of `failures`, which name that format
 */
export function confirmsWithoutContent(
  { content, mediaType, status }: Omit<InsurerFailure, "acts">,
  rows: readonly FailureRow[],
): boolean {
  if (content === undefined) return true;
  if (!NEVER_OF_PROXIES.includes(status) || isHtml(mediaType)) return false;
  // Parsed XML is a success: XML with an error would be a SOAP fault.
  if (typeof content !== "string" && !isJson(mediaType)) return true;
  const json = jsonOf(content, mediaType);
  if (json === undefined) return !/^\s*<(!doctype )?html/i.test(String(content));
  const places = rows.flatMap(({ at, media }) =>
    at === undefined || (media !== undefined && !isJson(media)) ? [] : [at],
  );
  return places.length > 0 && places.every((at) => (valueAt(json, at) ?? null) === null);
}

/** Parses the content as JSON, even with another media type; undefined for other text. */
function jsonOf(content: unknown, mediaType: string): unknown {
  if (typeof content !== "string" || isJson(mediaType)) return content;
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
