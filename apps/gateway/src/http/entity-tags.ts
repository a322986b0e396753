/**
 * Reports whether a caller already has the current answer: `If-None-Match` names the answer's ETag, by the weak
 * comparison (RFC 9110, section 13.1.2).
 */
export function hasCurrentAnswer(
  ifNoneMatch: string | undefined,
  etag: string | undefined,
): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false;
  const listed = ifNoneMatch.split(",").map((part) => part.trim());
  return listed.some((one) => one === "*" || withoutWeakMark(one) === withoutWeakMark(etag));
}

function withoutWeakMark(etag: string): string {
  return etag.replace(/^W\//, "");
}
