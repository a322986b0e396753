import type { Command } from "commander";
import { shellWord } from "../output/safe-text.ts";
import type { AccessOptions } from "./common-options.ts";
import type { CallFlag } from "./flags.ts";

const KEY_FLAG = "--idempotency-key";

/**
 * The command line that sends a submission again with its key, as a shell reads it.
 * @param parameters - what followed `insurance-gateway call`
 * @param flags - the flags with personal values
 * @param options.shown - whether the output goes to the person who wrote the values; otherwise `…` replaces each
 */
export function commandAgain(
  parameters: readonly string[],
  flags: readonly CallFlag[],
  { idempotencyKey, shown }: { readonly idempotencyKey: string; readonly shown: boolean },
): string {
  const personal = new Set(shown ? [] : flags.map(({ name }) => name));
  const words: string[] = [];
  for (let index = 0; index < parameters.length; index++) {
    const word = parameters[index] ?? "";
    const [name = ""] = word.split("=", 1);
    const hasValue = word !== name;
    if (name !== KEY_FLAG && !personal.has(name)) words.push(shellWord(word));
    else {
      if (name !== KEY_FLAG) words.push(hasValue ? `${name}=…` : `${name} …`);
      // Otherwise its value is the next word.
      if (!hasValue) index++;
    }
  }
  return ["insurance-gateway call", ...words, KEY_FLAG, shellWord(idempotencyKey)].join(" ");
}

/** The command line that asks the same gateway for the state of a submission. */
export function askCommand(
  command: Command,
  { gateway, insecureHttp }: Pick<AccessOptions, "gateway" | "insecureHttp">,
  submissionId: string,
): string {
  // A gateway that the environment names is the default of the next command, too.
  const named = command.getOptionValueSource("gateway") === "cli";
  const words = [
    "insurance-gateway submissions ask",
    submissionId,
    ...(named ? ["--gateway", shellWord(gateway)] : []),
    ...(insecureHttp === true ? ["--insecure-http"] : []),
  ];
  return words.join(" ");
}
