/** First path segments that are the gateway's own; no provider can have one. */
export const reservedSegments: readonly string[] = [
  "reference",
  "submissions",
  "sandbox",
  "health",
];

/** The names of the parameters in a path template: `/applications/{applicationId}` has `applicationId`. */
export function pathParameters(template: string): readonly string[] {
  return [...template.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? "");
}

/**
 * Puts values into a path template, percent-encoded (RFC 3986, section 2.1).
 * @throws TypeError when a value is missing, or would name another path: empty, `.` or `..`
 */
export function fillPath(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? "");
    if (value === "" || value === "." || value === "..")
      throw new TypeError(`The path parameter ${name} is missing or names another path`);
    return encodeURIComponent(value);
  });
}
