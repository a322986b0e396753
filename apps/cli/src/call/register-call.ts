import type { Command } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import { allCommonOptions } from "./common-options.ts";

/** Registers the command that calls an endpoint of a running gateway. */
export function registerCallCommand(program: Command): void {
  program
    .command("call")
    .description("call an endpoint of a running gateway")
    .usage("<provider> <endpoint> [flags]")
    .argument("[provider]", "segment or ID of the provider (default: list all providers)")
    .argument("[endpoint]", "name of the endpoint (default: list the provider's endpoints)")
    .argument("[flags...]", "a flag for each value of the request; see the endpoint's --help")
    .passThroughOptions()
    .addHelpText("after", (context) => `\n${commonFlagsHelp(context.command)}\n${restOfHelp}`)
    .action(async (_provider, _endpoint, _flags, _options, command: Command) => {
      // Load the client only for calls.
      const { runCall } = await import("./call-command.ts");
      await runCall(command);
    });
}

function commonFlagsHelp(command: Command): string {
  const helper = command.createHelp();
  helper.prepareContext({ helpWidth: 80 });
  const options = allCommonOptions();
  const width = Math.max(...options.map(({ flags }) => flags.length));
  const items = options.map((option) =>
    helper.formatItem(option.flags, width, helper.optionDescription(option), helper),
  );
  return helper.formatItemList("Common flags of all calls:", items, helper).join("\n");
}

const restOfHelp = `The command uses the token of GATEWAY_TOKEN. If neither GATEWAY_TOKEN nor issuers are configured, it creates
a token of the development issuer for a gateway on this machine.

Examples:
  insurance-gateway call
  insurance-gateway call provider-d
  insurance-gateway call provider-a listBrands
  insurance-gateway call provider-c downloadIpid --application-id C-0001 --out ipid.pdf
  insurance-gateway call provider-d createApplication --body application.json

${exitCodesHelp}`;

/**
 * Moves common flags from before the name of the endpoint to after the name, where the endpoint's command parses them.
 * Without an endpoint, common flags have no effect and are removed. Other words stay in their place.
 * @param words - the arguments after `insurance-gateway call`
 */
export function moveFlagsBehindEndpoint(words: readonly string[]): readonly string[] {
  const takesValue = new Map(
    allCommonOptions().map(({ long, required }) => [long ?? "", required] as const),
  );
  const names: string[] = [];
  const flags: string[] = [];
  let index = 0;
  for (; index < words.length && names.length < 2; index++) {
    const word = words[index] ?? "";
    const [name = ""] = word.split("=", 1);
    const needsValue = takesValue.get(name);
    if (!word.startsWith("-")) names.push(word);
    else if (needsValue === undefined) break;
    else {
      flags.push(word);
      if (needsValue && word === name) flags.push(...words.slice(++index, index + 1));
    }
  }
  const rest = words.slice(index);
  return names.length === 2 ? [...names, ...flags, ...rest] : [...names, ...rest];
}
