import type { Command } from "commander";
import { lazyAction } from "./command-parts.ts";
import { exitCodesHelp } from "./exit-codes.ts";

/** Registers the commands for the store as a whole. */
export function registerStoreCommands(program: Command): void {
  const store = program
    .command("store")
    .description("create, copy and restore the store of submissions; stop all gateways first")
    .addHelpText("after", STORE_HELP);

  store
    .command("create")
    .description("create the store of a new installation, only once")
    .addHelpText(
      "after",
      `
A gateway with a real insurer starts only with a store that this command created. Run the command by hand, not at every
start: if a gateway finds no store, its volume or database is not the one with your submissions, and the gateway must stop.

Examples:
  insurance-gateway store create
  DATABASE_URL=postgres://… insurance-gateway store create`,
    )
    .action(lazyAction(async () => (await import("./store-actions.ts")).createStore));

  store
    .command("copy")
    .description("copy the store into an empty SQLite or PostgreSQL store, and compare both")
    .requiredOption("--to <place>", "a data folder, or a PostgreSQL address")
    .addHelpText(
      "after",
      `
The command prints the number of rows and a digest of each table, which must be equal in both stores. Afterwards, gateways
must use only the copy. If the command is interrupted, run it again: it starts from the beginning, and no gateway serves
from an incomplete copy. If a PostgreSQL address has no password, set PGPASSWORD or use the password file.

Examples:
  insurance-gateway store copy --to postgres://gateway@db.example/gateway
  DATABASE_URL=postgres://… insurance-gateway store copy --to /srv/insurance-gateway/data`,
    )
    .action(lazyAction(async () => (await import("./store-actions.ts")).copyStoreTo));

  store
    .command("restore")
    .description("restore a backup into the empty place of the store, and mark it as restored")
    .argument("<from>", "a SQLite file, a data folder, or a PostgreSQL address")
    .addHelpText(
      "after",
      `
The command does not change the backup. A gateway answers submissions that the backup has and refuses all others until you
run \`insurance-gateway submissions accept-restore\`.

Example:
  insurance-gateway store restore backups/submissions.sqlite`,
    )
    .action(lazyAction(async () => (await import("./store-actions.ts")).restoreStore));
}

const STORE_HELP = `
The store is in the data folder, or in the PostgreSQL database that DATABASE_URL names.

${exitCodesHelp}`;
