/** Path segments of the gateway's own endpoints. A provider's segment must be different. */
export const reservedSegments: readonly string[] = [
  "reference",
  "submissions",
  "sandbox",
  "health",
  "providers",
  "requests",
  "accounts",
];

/** One segment of a path template: a literal, or a parameter with the literals before and after it. */
export interface PathSegment {
  /** The literal before the parameter; the whole segment if it has no parameter. */
  readonly before: string;
  /** The parameter's name; null for a segment that is a literal. */
  readonly parameter: string | null;
  /** The literal after the parameter. */
  readonly after: string;
}

/** A parameter in a template: a letter, then letters, digits, `_` and `-`, in braces. */
const PARAMETER = /\{([A-Za-z][A-Za-z0-9_-]*)\}/g;
/** Pattern of a segment: unreserved characters, `:` and `@` (RFC 3986, section 3.3), with at most one parameter. */
const SEGMENT = /^([A-Za-z0-9._~:@-]*)(?:\{([A-Za-z][A-Za-z0-9_-]*)\}([A-Za-z0-9._~:@-]*))?$/;

/** Pattern of a dot segment (RFC 3986, section 5.2.4), or of an empty segment that is not the last. */
const NAVIGATION = /\/(?:\/|\.\.?(?:\/|$))/;

/**
 * Parses a path template: `/policies/{policy_id}.pdf` has a literal segment and one with a parameter. The last segment
 * may be empty: `/` and `/policies/` are paths.
 * @returns null if the text is not a template
 */
export function pathSegments(template: string): readonly PathSegment[] | null {
  if (!template.startsWith("/") || NAVIGATION.test(template)) return null;
  const segments = template
    .slice(1)
    .split("/")
    .map((text): PathSegment | null => {
      const [found, before = "", parameter = null, after = ""] = SEGMENT.exec(text) ?? [];
      return found === undefined ? null : { before, parameter, after };
    });
  return segments.every((segment) => segment !== null) ? segments : null;
}

/** Returns the names of the parameters in a path template: `/applications/{applicationId}` has `applicationId`. */
export function pathParameters(template: string): readonly string[] {
  return [...template.matchAll(PARAMETER)].map((match) => match[1] ?? "");
}

/**
 * Puts values into a path template, percent-encoded (RFC 3986, section 2.1).
 * @throws TypeError if a value is missing, or would lead to another path: an empty value, `.` or `..`
 */
export function fillPath(template: string, values: Readonly<Record<string, unknown>>): string {
  const filled = template.includes("{") ? fillParameters(template, values) : template;
  if (NAVIGATION.test(filled))
    throw new TypeError(
      `The path parameter ${pathParameters(template).join(" or ")} is missing or leads to another path`,
    );
  return filled;
}

function fillParameters(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(PARAMETER, (_, name: string) => {
    const value = String(values[name] ?? "");
    if (value === "")
      throw new TypeError(`The path parameter ${name} is missing or leads to another path`);
    return encodeURIComponent(value);
  });
}

/** Number of decodings to check. A value may be encoded twice, and a later reader may decode the value again. */
const DECODINGS = 3;

/**
 * Reports whether a segment leads to another path, directly or after decoding: `.`, `..`, or a segment with a slash,
 * a backslash or a control character.
 */
export function isOtherPath(segment: string): boolean {
  let text: string | null = segment;
  for (let round = 0; text !== null && round <= DECODINGS; round++) {
    if (text === "." || text === ".." || /[/\\\p{Cc}]/u.test(text)) return true;
    if (!text.includes("%")) return false;
    text = percentDecoded(text);
  }
  return false;
}

/** Decodes a percent-encoded text (RFC 3986, section 2.1). Returns null if it is not UTF-8. */
export function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Reports whether two templates are ambiguous: one request could match both, and neither is more specific. A literal
 * segment is more specific than a parameter: `/x/new` and `/x/{id}` are two routes, unless in another segment the
 * second template is more specific.
 */
export function isAmbiguous(one: readonly PathSegment[], other: readonly PathSegment[]): boolean {
  if (one.length !== other.length) return false;
  const relations = one.map((segment, index) => compareSegments(segment, other[index]));
  if (relations.includes("apart")) return false;
  // If no segment is more specific, the templates are the same. If each template has a more specific segment, neither
  // template is more specific.
  return (
    relations.includes("unclear") || relations.includes("literal") === relations.includes("matched")
  );
}

/** Compares two segments: reports whether a text can match both, and which segment is more specific. */
function compareSegments(
  one: PathSegment,
  other: PathSegment | undefined,
): "apart" | "same" | "literal" | "matched" | "unclear" {
  if (other === undefined) return "apart";
  if (one.parameter === null && other.parameter === null)
    return one.before === other.before ? "same" : "apart";
  if (one.parameter === null) return matchesSegment(other, one.before) ? "literal" : "apart";
  if (other.parameter === null) return matchesSegment(one, other.before) ? "matched" : "apart";
  if (one.before === other.before && one.after === other.after) return "same";
  const canMeet =
    (one.before.startsWith(other.before) || other.before.startsWith(one.before)) &&
    (one.after.endsWith(other.after) || other.after.endsWith(one.after));
  return canMeet ? "unclear" : "apart";
}

function matchesSegment({ after, before }: PathSegment, text: string): boolean {
  return (
    text.startsWith(before) && text.endsWith(after) && text.length > before.length + after.length
  );
}

/**
 * Converts the template to the syntax of find-my-way and fastify. Parameters are named by position (`p0`), because
 * these routers end a name at a dash. A parameter before a literal gets its own regular expression.
 * @throws TypeError if the text is not a template
 */
export function routerPattern(template: string): string {
  const segments = pathSegments(template);
  if (segments === null) throw new TypeError(`The path ${template} must be a path template`);
  let position = 0;
  const pattern = segments.map(({ after, before, parameter }) => {
    const name = parameter === null ? "" : `:p${position++}`;
    return `/${escapeColons(before)}${name}${after === "" ? "" : `(.+)${escapeColons(after)}`}`;
  });
  return pattern.join("");
}

/** Doubles the colons of a literal, because a single colon would begin a parameter. */
function escapeColons(literal: string): string {
  return literal.replaceAll(":", "::");
}

/** Returns the parameters of a route that was found by its `routerPattern`, by their names in the template. */
export function namedParameters(
  template: string,
  found: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  if (!template.includes("{")) return {};
  return Object.fromEntries(
    pathParameters(template).map((name, position) => [name, found[`p${position}`]]),
  );
}
