import type { Command } from "commander";
import { EXIT_USAGE } from "./exit-codes.ts";

/** Says what is wrong with the command line, and ends the command. */
export function refuse(command: Command, fault: string): never {
  return command.error(`error: ${fault}`, { exitCode: EXIT_USAGE });
}
