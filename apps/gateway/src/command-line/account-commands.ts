import type { Command } from "commander";
import type { ListAccountsOptions } from "./account-actions.ts";
import type { VerifyOptions } from "./account-verification.ts";

/** Adds the commands that list and change the accounts of tenants to insurers. */
export function registerAccounts(program: Command): void {
  const accounts = program
    .command("accounts")
    .description("manage the accounts at insurers; works while a gateway runs")
    .addHelpText("after", HELP);

  accounts
    .command("list")
    .description("list the accounts, without their credentials")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  insurance-gateway accounts list")
    .action(async (options: ListAccountsOptions) => {
      const { listAccounts } = await import("./account-actions.ts");
      await listAccounts(options);
    });

  accounts
    .command("changes")
    .description("list who changed which account of the store, and when, the newest first")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  insurance-gateway accounts changes")
    .action(async (options: ListAccountsOptions) => {
      const { listChanges } = await import("./account-actions.ts");
      await listChanges(options);
    });

  accounts
    .command("add")
    .description("add an account to the store, encrypted")
    .argument("[file]", "the account in JSON; standard input when left out")
    .addHelpText("after", "\nExample:\n  insurance-gateway accounts add north-motor.json")
    .action(async (file: string | undefined) => {
      const { addAccount } = await import("./account-actions.ts");
      await addAccount(file);
    });

  accounts
    .command("verify")
    .description("make one read with each account, and report whether it works")
    .argument("[id...]", "the accounts' ids; all, and each provider's own, when left out")
    .option("--json", "as JSON")
    .addHelpText("after", VERIFY_HELP)
    .action(async (ids: readonly string[], options: VerifyOptions) => {
      const { verify } = await import("./account-verification.ts");
      await verify(ids, options);
    });

  accounts
    .command("rotate")
    .description("replace the credentials and settings of an account")
    .argument("<id>", "the account's id")
    .argument("[file]", "the new credentials and settings in JSON; standard input when left out")
    .addHelpText("after", "\nExample:\n  insurance-gateway accounts rotate north-motor new.json")
    .action(async (id: string, file: string | undefined) => {
      const { rotateAccount } = await import("./account-actions.ts");
      await rotateAccount(id, file);
    });

  accounts
    .command("remove")
    .description("remove an account, unless it has submissions with an unknown outcome")
    .argument("<id>", "the account's id")
    .addHelpText("after", "\nExample:\n  insurance-gateway accounts remove north-motor")
    .action(async (id: string) => {
      const { removeAccount } = await import("./account-actions.ts");
      await removeAccount(id);
    });
}

const VERIFY_HELP = `
The command sends each insurer a request that changes nothing, with the account's own credentials. "default" is the
account of a provider in the configuration. An endpoint that needs input gets the example of the provider's documentation.

Example:
  insurance-gateway accounts verify north-motor

It exits with 1 if an account cannot be used. "not tried: busy" means that the gateway had no free slot for the call.`;

const HELP = `
add reads an account, and rotate its credentials, settings and quotas, from a file or from standard input:

  {
    "id": "north-motor",
    "tenant": { "issuer": "https://login.example", "name": "north" },
    "segment": "provider-d",
    "credentials": { "type": "basic", "username": { "env": "NORTH_USER" }, "password": { "file": "north.txt" } },
    "settings": { "agency": "4711" },
    "quotas": { "requestsPerDay": 5000, "submissionsPerDay": 50 }
  }

A secret is { "env": "NAME" } or { "file": "PATH" }, which the command reads now, or its text. It is stored encrypted and
never printed. Without "quotas", rotate leaves the quotas unchanged; {} removes them.
Gateways use a new account, or new credentials, within two seconds. To change an account in the configuration file,
edit the file.`;
