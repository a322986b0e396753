import type { CommanderError, Option } from "commander";

/**
 * What is wrong with the command line, without anything of its values: somebody may have tried to give a token. Of what was
 * given, no more than an option's name is said.
 * @param parameters - the command line
 */
export function faultOf(
  { code, message }: CommanderError,
  options: readonly Option[],
  parameters: readonly string[],
): string {
  if (code === "commander.unknownOption") return `error: ${unknownOption(options, parameters)}`;
  if (code === "commander.excessArguments")
    return "error: too many arguments: a word without an option is not taken";
  // An option's flags are declared here, and stand before its value.
  const option = options.find(({ flags }) => message.startsWith(`error: option '${flags}' `));
  if (option === undefined) return "error: the command line cannot be used";
  if (code === "commander.optionMissingArgument") return `error: ${option.flags} has no value`;
  const choices = option.argChoices?.join(", ");
  const takes = choices === undefined ? "" : `; it takes ${choices}`;
  return `error: ${option.flags} does not take the value that was given${takes} (${option.description})`;
}

function unknownOption(options: readonly Option[], parameters: readonly string[]): string {
  const names = parameters.map((parameter) => /^--?[a-z][a-z-]{0,30}(?==|$)/.exec(parameter)?.[0]);
  const known = options.flatMap(({ long, short }) => [long, short]);
  const unknown = names.find((name) => name !== undefined && !known.includes(name));
  return unknown === undefined ? "an option is not known" : `unknown option '${unknown}'`;
}
