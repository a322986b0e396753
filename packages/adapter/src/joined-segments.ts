/** A segment of an insurer's path with several parameters: `{base}...{head}`. A template of the contract has none. */
interface JoinedSegment {
  readonly text: string;
  /** The names of its parameters, in order. */
  readonly parameters: readonly string[];
  /** Finds the values of its parameters in the decoded segment, or null if it has another form. */
  readonly read: (segment: string) => Readonly<Record<string, string>> | null;
}

const PARAMETERS = /\{([^}]*)\}/g;

/** Finds the segments of a path with several parameters. */
function joinedSegments(path: string): readonly JoinedSegment[] {
  return path.split("/").flatMap((text) => {
    const parameters = [...text.matchAll(PARAMETERS)].map(([, name = ""]) => name);
    return parameters.length < 2 ? [] : [{ text, parameters, read: readerOf(text, parameters) }];
  });
}

/** Each parameter but the last ends at the first occurrence of the literal after it. */
function readerOf(text: string, parameters: readonly string[]): JoinedSegment["read"] {
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
 * Finds the first parameter that would not be read as it was sent, because its value contains the literal that
 * separates it from the next one.
 */
export function unseparated(
  path: string,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  return joinedSegments(path)
    .flatMap(({ parameters, read, text }) => {
      const filled = text.replaceAll(PARAMETERS, (_, name: string) => String(values[name] ?? ""));
      const found = read(filled);
      // `fillPath` reports a value that is missing.
      return found === null
        ? []
        : parameters.filter((name) => found[name] !== String(values[name] ?? ""));
    })
    .at(0);
}

/** A path of which every segment has at most one parameter, so that it is a template of the contract. */
export interface SeparatedPath {
  readonly template: string;
  /** Whether a segment of the path has several parameters. */
  readonly isJoined: boolean;
  /** Returns the values of the path's own parameters, or null if a segment has another form. */
  readonly read: (values: PathValues) => PathValues | null;
}

type PathValues = Readonly<Record<string, string | undefined>>;

/** Replaces each segment with several parameters by one parameter. */
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

/** Begins a parameter's name that no parameter of the path has. */
function unusedPrefix(path: string): string {
  let prefix = "segment-";
  while (path.includes(`{${prefix}`)) prefix += "-";
  return prefix;
}
