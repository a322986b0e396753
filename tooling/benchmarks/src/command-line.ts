import { parseArgs } from "node:util";

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

/** Reads the command line of a program that has no options but `--help`. */
export function readNoOptions(help: string): void {
  readOptions(help, () => parseArgs({ options: {} }));
}

/** An option that takes a whole number from 1. */
export interface NumberOption {
  /** What the help says of it. */
  readonly about: string;
  readonly byDefault: number;
}

/**
 * Reads the command line of a program whose options are all numbers. Its help lists them with their defaults.
 * @param about - what stands above the options in the help
 */
export function readNumbers<Name extends string>(
  about: string,
  options: Readonly<Record<Name, NumberOption>>,
): Readonly<Record<Name, number>> {
  const all = Object.entries<NumberOption>(options);
  const width = Math.max(...all.map(([name]) => `--${name} N`.length));
  const lines = all.map(
    ([name, option]) =>
      `  ${`--${name} N`.padEnd(width)}   ${option.about} (${option.byDefault})\n`,
  );
  return readOptions(`${about}\n\n${lines.join("")}`, () => {
    const { values } = parseArgs({
      options: Object.fromEntries(
        all.map(([name, { byDefault }]) => [
          name,
          { type: "string", default: String(byDefault) } as const,
        ]),
      ),
    });
    const numbers = all.map(([name]) => [name, wholeNumber(name, String(values[name]))] as const);
    // It has a number for each of the options.
    return Object.fromEntries(numbers) as Record<Name, number>;
  });
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
