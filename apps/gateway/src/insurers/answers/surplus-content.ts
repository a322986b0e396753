import { type FailureRow, valueAt } from "@insurance-gateway/core/contract";
import { type InsurerFailure, isHtml, isJson } from "@insurance-gateway/core/runtime";

/** Statuses that no proxy uses for its own answers. With the status 200, a proxy may send its own page or an error. */
const STATUSES_NEVER_OF_PROXIES = [201, 202, 204];

/**
 * Reports whether an answer that is declared without content is a success, although it has a body. Some insurers send
 * `OK` or JSON. JSON may be an error, so JSON is a success only if `failures` rows name the place of an error code and
 * this place is empty.
 * @param rows - the `failures` rows of the endpoint
 */
export function isSuccessDespiteContent(
  { content, mediaType, status }: Omit<InsurerFailure, "acts">,
  rows: readonly FailureRow[],
): boolean {
  if (content === undefined) return true;
  if (!STATUSES_NEVER_OF_PROXIES.includes(status) || isHtml(mediaType)) return false;
  // XML that was parsed is a success: an error in XML would be a SOAP fault.
  if (typeof content !== "string" && !isJson(mediaType)) return true;
  const json = parseJsonOrNothing(content, mediaType);
  if (json === undefined) return !/^\s*<(!doctype )?html/i.test(String(content));
  const places = rows.flatMap(({ at, media }) =>
    at === undefined || (media !== undefined && !isJson(media)) ? [] : [at],
  );
  return places.length > 0 && places.every((at) => (valueAt(json, at) ?? null) === null);
}

/** Parses the content as JSON, even with another media type; undefined for other text. */
function parseJsonOrNothing(content: unknown, mediaType: string): unknown {
  if (typeof content !== "string" || isJson(mediaType)) return content;
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
