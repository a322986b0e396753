import type { Command } from "commander";
import { lazyAction } from "./command-parts.ts";

/** Registers the commands that list and change the tenants' accounts at insurers. */
export function registerAccountCommands(program: Command): void {
  const accounts = program
    .command("accounts")
    .description("manage the accounts at insurers, even while a gateway runs")
    .addHelpText("after", ACCOUNTS_HELP);

  accounts
    .command("list")
    .description("list the accounts, without their credentials")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  insurance-gateway accounts list")
    .action(lazyAction(async () => (await import("./account-actions.ts")).listAccounts));

  accounts
    .command("changes")
    .description("list the changes of the store's accounts, newest first: when and by whom")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  insurance-gateway accounts changes")
    .action(lazyAction(async () => (await import("./account-actions.ts")).listChanges));

  accounts
    .command("set")
    .description("add an encrypted account to the store, or replace an existing account")
    .argument("[file]", "the account in JSON (default: standard input)")
    .addHelpText("after", "\nExample:\n  insurance-gateway accounts set north-motor.json")
    .action(lazyAction(async () => (await import("./account-actions.ts")).setAccount));

  accounts
    .command("verify")
    .description("test each account with one read at its insurer")
    .argument("[id...]", "IDs of the accounts (default: all accounts that calls use)")
    .option("--json", "print JSON")
    .addHelpText("after", VERIFY_HELP)
    .action(lazyAction(async () => (await import("./account-actions.ts")).verifyAccounts));

  accounts
    .command("remove")
    .description("remove an account, unless it has submissions with an unknown outcome")
    .argument("<id>", "the account's id")
    .addHelpText("after", "\nExample:\n  insurance-gateway accounts remove north-motor")
    .action(lazyAction(async () => (await import("./account-actions.ts")).removeAccount));
}

const VERIFY_HELP = `
The command sends each insurer a request that changes nothing, with the account's own credentials. "default" is the
account of a provider in the configuration. An endpoint that needs input gets the example of the provider's documentation.

Example:
  insurance-gateway accounts verify north-motor

The exit code is 1 if an account is "unusable". "busy" means that the gateway had no free slot for the call, "untriable" that
the provider has no endpoint for such a call.`;

const ACCOUNTS_HELP = `
An account is in accounts.list of the configuration file, or in the store. "set" reads an account for the store in this form:

  {
    "id": "north-motor",
    "tenant": { "issuer": "https://login.example", "name": "north" },
    "segment": "provider-d",
    "credentials": { "type": "basic", "username": { "env": "NORTH_USER" }, "password": { "file": "north.txt" } },
    "settings": { "agency": "4711" },
    "quotas": { "requestsPerDay": 5000, "submissionsPerDay": 50 }
  }

A secret is { "env": "NAME" } or { "file": "PATH" }, which the command reads now, or the secret itself. It is stored encrypted and
never printed. If the store has an account with this id, tenant and segment, "set" replaces everything else of it.
Gateways use the change within two seconds.`;
