import type { Command } from "commander";
import { lazyAction } from "./command-parts.ts";
import { exitCodesHelp } from "./exit-codes.ts";

/** Registers the commands for the store as a whole. */
export function registerStore(program: Command): void {
  const store = program
    .command("store")
    .description("create, copy and restore the store of submissions; stop all gateways first")
    .addHelpText("after", HELP);

  store
    .command("create")
    .description("create the store of a new installation, only once")
    .addHelpText(
      "after",
      `
A gateway with a real insurer starts only with a store that this command made. Run it by hand, not with every start: a start that
finds no store has found another volume or database than the one with your submissions, and must stop there.

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
Prints the rows and a digest of each table, which are equal in both. From then on gateways serve from the copy only. Run the
command again if it was interrupted: it starts from the beginning, and nothing serves from a part of a copy.
The password of an address is read from PGPASSWORD or the password file if the address has none.

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
The backup is only read. A gateway then answers the submissions that the backup has and refuses others, until you run
\`insurance-gateway submissions accept-restore\`.

Example:
  insurance-gateway store restore backups/submissions.sqlite`,
    )
    .action(lazyAction(async () => (await import("./store-actions.ts")).restoreStore));
}

const HELP = `
The place of the store is the data folder, or the PostgreSQL database that DATABASE_URL names.

${exitCodesHelp}`;
