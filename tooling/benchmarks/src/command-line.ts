/** The exit code for a command line that is refused. */
const REFUSED = 2;

/**
 * Reads the command line of a program before its work begins. It prints the help and ends the program where `--help` or
 * `-h` asks for it; for a command line that is wrong, it prints why and the help on standard error, and ends with 2.
 * @param read - throws an Error that says what is wrong
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
    process.exit(REFUSED);
  }
}

/** The number of rounds from which the interval of a median has a confidence of 95 %. */
export const LEAST_ROUNDS = 6;

/** Reads `--rounds`; throws an Error when `--write` would publish figures of too few. */
export function roundsOf(values: { readonly rounds: string; readonly write: boolean }): number {
  const rounds = wholeNumber("rounds", values.rounds);
  if (!values.write || rounds >= LEAST_ROUNDS) return rounds;
  throw new Error(`--write needs --rounds ${LEAST_ROUNDS} or more: fewer give no result.`);
}

/** Reads an option that must be a whole number from 1; throws an Error that names the option. */
export function wholeNumber(option: string, value: string): number {
  if (!/^[1-9]\d{0,6}$/.test(value))
    throw new Error(`--${option} must be a whole number from 1 to 9999999.`);
  return Number(value);
}
