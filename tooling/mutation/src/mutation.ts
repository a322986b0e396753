/** One deliberate small fault in the code. */
export interface Mutation {
  /** What is wrong with it, in words. */
  readonly name: string;
  /** From the repository's root. */
  readonly file: string;
  /** The text that is replaced: it must be in the file exactly once. */
  readonly replace: string;
  readonly by: string;
  /** The test files that must notice it; only these are run. */
  readonly tests: readonly string[];
}

/** Puts the fault into a source text; throws when the text it replaces is not there exactly once. */
export function mutated({ by, file, name, replace }: Mutation, source: string): string {
  const [before, after, ...more] = source.split(replace);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(
      `"${name}": ${file} must have this text exactly once; adapt the mutation to the code:\n${replace}`,
    );
  return before + by + after;
}
