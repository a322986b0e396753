import { type Command, InvalidArgumentError } from "commander";
import { EXIT_USAGE } from "./exit-codes.ts";

/** The default subject and scope of a token of the development issuer. */
export const developmentTokenDefaults: { readonly subject: string; readonly scope: string } = {
  subject: "developer",
  scope: "*:*",
};

/** Loads a command's module only when the command runs, so that `serve` does not load the other commands. */
export function lazyAction<Given extends readonly unknown[]>(
  load: () => Promise<(...given: Given) => Promise<void>>,
): (...given: Given) => Promise<void> {
  return async (...given) => (await load())(...given);
}

/** Returns the parser of an option whose value is a whole number from `least` to `most`. */
export function wholeNumberParser(
  least: number,
  most: number,
  must = `It must be a whole number from ${least} to ${most}.`,
): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(must);
  };
}

/** Prints a fault of the command line, and ends the command. */
export function refuse(command: Command, fault: string): never {
  return command.error(`error: ${fault}`, { exitCode: EXIT_USAGE });
}
