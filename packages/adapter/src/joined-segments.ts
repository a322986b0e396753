/** A segment with several parameters in an insurer's path: `{base}...{head}`. Declared paths have no such segment. */
interface JoinedSegment {
  readonly text: string;
  /** The names of the segment's parameters, in order. */
  readonly parameters: readonly string[];
  /** Returns the values of the parameters in a decoded segment, or null if the segment has another form. */
  readonly read: (segment: string) => Readonly<Record<string, string>> | null;
}

const PARAMETER_PATTERN = /\{([^}]*)\}/g;

/** Finds the segments of a path that have several parameters. */
function joinedSegments(path: string): readonly JoinedSegment[] {
  return path.split("/").flatMap((text) => {
    const parameters = [...text.matchAll(PARAMETER_PATTERN)].map(([, name = ""]) => name);
    return parameters.length < 2
      ? []
      : [{ text, parameters, read: segmentReader(text, parameters) }];
  });
}

/** Creates the reader of a segment. A parameter ends at the first occurrence of the text after the parameter. */
function segmentReader(text: string, parameters: readonly string[]): JoinedSegment["read"] {
  const [start = "", ...literals] = text.split(/\{[^}]*\}/);
  const end = literals.pop() ?? "";
  return (segment) => {
    if (!segment.startsWith(start) || !segment.endsWith(end)) return null;
    const values: string[] = [];
    let rest = segment.slice(start.length, segment.length - end.length);
    for (const literal of literals) {
      // A value has at least one character.
      const at = rest.indexOf(literal, 1);
      if (at < 0) return null;
      values.push(rest.slice(0, at));
      rest = rest.slice(at + literal.length);
    }
    values.push(rest);
    return values.includes("")
      ? null
      : Object.fromEntries(parameters.map((name, position) => [name, values[position] ?? ""]));
  };
}

/**
 * Finds the first parameter whose value would be split at the wrong place, because the value contains the text that
 * separates the parameter from the next one.
 */
export function ambiguousParameter(
  path: string,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  return joinedSegments(path)
    .flatMap(({ parameters, read, text }) => {
      const filled = text.replaceAll(PARAMETER_PATTERN, (_, name: string) =>
        String(values[name] ?? ""),
      );
      const found = read(filled);
      // `fillPath` reports a missing value.
      return found === null
        ? []
        : parameters.filter((name) => found[name] !== String(values[name] ?? ""));
    })
    .at(0);
}

/** A path in which every segment has at most one parameter, as in paths of the contract. */
export interface SeparatedPath {
  readonly template: string;
  /** True if a segment of the original path has several parameters. */
  readonly isJoined: boolean;
  /** Returns the values of the original parameters, or null if a segment has another form. */
  readonly read: (values: PathValues) => PathValues | null;
}

type PathValues = Readonly<Record<string, string | undefined>>;

/** Replaces each segment with several parameters by a segment with one parameter. */
export function separatedPath(path: string): SeparatedPath {
  const prefix = unusedPrefix(path);
  const joined = joinedSegments(path).map((segment, index) => ({
    ...segment,
    name: `${prefix}${index}`,
  }));
  return {
    isJoined: joined.length > 0,
    template: joined.reduce(
      (template, { name, text }) => template.replace(text, `{${name}}`),
      path,
    ),
    read: (values) => {
      const found = joined.map(({ name, read }) => read(values[name] ?? ""));
      return found.includes(null) ? null : Object.assign({}, values, ...found);
    },
  };
}

/** Returns a prefix that differs from the start of every parameter name in the path. */
function unusedPrefix(path: string): string {
  let prefix = "segment-";
  while (path.includes(`{${prefix}`)) prefix += "-";
  return prefix;
}
