import type { Command } from "commander";
import type { ConnectionOptions } from "./common-options.ts";
import type { CallFlag } from "./flags.ts";
import { shellWord } from "./shell-word.ts";

const KEY_FLAG = "--idempotency-key";

/**
 * The command line that sends a submission again with its key, as a shell reads it.
 * @param parameters - of `insurance-gateway call`, as they were given and understood
 * @param flags - whose values are shown to nobody but the person who wrote them; elsewhere `…` stands for each
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
    const isWhole = word !== name;
    if (name !== KEY_FLAG && !personal.has(name)) words.push(shellWord(word));
    else {
      if (name !== KEY_FLAG) words.push(isWhole ? `${name}=…` : `${name} …`);
      // Otherwise its value is the next word.
      if (!isWhole) index++;
    }
  }
  return ["insurance-gateway call", ...words, KEY_FLAG, shellWord(idempotencyKey)].join(" ");
}

/** The command line that asks the gateway of a call what became of its submission. */
export function askCommand(
  command: Command,
  { gateway, insecureHttp }: Pick<ConnectionOptions, "gateway" | "insecureHttp">,
  submissionId: string,
): string {
  // What the environment said, it says the next time, too.
  const named = command.getOptionValueSource("gateway") === "cli";
  const words = [
    "insurance-gateway submissions ask",
    submissionId,
    ...(named ? ["--gateway", shellWord(gateway)] : []),
    ...(insecureHttp === true ? ["--insecure-http"] : []),
  ];
  return words.join(" ");
}
