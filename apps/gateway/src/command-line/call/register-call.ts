import type { Command } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import { allCommonOptions } from "./common-options.ts";

/** Adds the command that calls an endpoint of a running gateway. */
export function registerCall(program: Command): void {
  program
    .command("call")
    .description("call an endpoint of a running gateway")
    .usage("<provider> <endpoint> [flags]")
    .argument("[provider]", "its segment or id; if left out, lists all providers")
    .argument("[endpoint]", "its name; if left out, lists the endpoints of the provider")
    .argument("[flags...]", "a flag for each value it takes; its own --help lists them")
    .passThroughOptions()
    .addHelpText("after", (context) => `\n${commonHelp(context.command)}\n${restOfHelp}`)
    .action(async (_provider, _endpoint, _flags, _options, command: Command) => {
      // The client and what it stands on are loaded for calls only.
      const { runCall } = await import("./call-command.ts");
      await runCall(command);
    });
}

function commonHelp(command: Command): string {
  const helper = command.createHelp();
  helper.prepareContext({ helpWidth: 80 });
  const options = allCommonOptions();
  const width = Math.max(...options.map(({ flags }) => flags.length));
  const items = options.map((option) =>
    helper.formatItem(option.flags, width, helper.optionDescription(option), helper),
  );
  return helper.formatItemList("Flags that calls have in common:", items, helper).join("\n");
}

const restOfHelp = `The token is that of GATEWAY_TOKEN; without it, and without issuers in the configuration,
one of the development issuer is made for a gateway of this machine.

Examples:
  insurance-gateway call
  insurance-gateway call provider-d
  insurance-gateway call provider-a listBrands
  insurance-gateway call provider-c downloadIpid --application-id C-0001 --out ipid.pdf
  insurance-gateway call provider-d createApplication --body application.json

${exitCodesHelp}`;
