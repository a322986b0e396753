/** The exit code for an invalid command line. */
const EXIT_INVALID_COMMAND = 2;

/**
 * Reads the command line of a program. With `--help` or `-h`, prints the help and exits. For an invalid command line,
 * prints the reason and the help to standard error and exits with 2.
 * @param read - reads the options; throws an Error with the reason for an invalid command line
 */
export function readOptions<Options>(help: string, read: () => Options): Options {
  if (process.argv.slice(2).some((parameter) => parameter === "--help" || parameter === "-h")) {
    process.stdout.write(help);
    process.exit(0);
  }
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    process.exit(EXIT_INVALID_COMMAND);
  }
}

/** Minimum number of rounds for a 95 % confidence interval of a median. */
export const MIN_ROUNDS = 6;

/** Reads `--rounds`; throws an Error if `--write` would publish figures of too few rounds. */
export function roundsOf(values: { readonly rounds: string; readonly write: boolean }): number {
  const rounds = wholeNumber("rounds", values.rounds);
  if (!values.write || rounds >= MIN_ROUNDS) return rounds;
  throw new Error(`--write needs --rounds ${MIN_ROUNDS} or more: fewer give no result.`);
}

/** Reads an option that must be a positive whole number; throws an Error that names the option. */
export function wholeNumber(option: string, value: string): number {
  if (!/^[1-9]\d{0,6}$/.test(value))
    throw new Error(`--${option} must be a whole number from 1 to 9999999.`);
  return Number(value);
}
