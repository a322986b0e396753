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
