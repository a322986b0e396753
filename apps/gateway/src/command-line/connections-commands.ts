import type { Command } from "commander";
import type { ListConnectionsOptions } from "./connections.ts";
import type { VerifyOptions } from "./connections-verify.ts";

/** Adds the commands that list and change the connections of tenants to insurers. */
export function registerConnections(program: Command): void {
  const connections = program
    .command("connections")
    .description("manage the accounts at insurers; works while a gateway runs")
    .addHelpText("after", HELP);

  connections
    .command("list")
    .description("list the connections, without their credentials")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  insurance-gateway connections list")
    .action(async (options: ListConnectionsOptions) => {
      const { listConnections } = await import("./connections.ts");
      await listConnections(options);
    });

  connections
    .command("changes")
    .description("list who changed which connection of the store, and when, the newest first")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  insurance-gateway connections changes")
    .action(async (options: ListConnectionsOptions) => {
      const { listChanges } = await import("./connections.ts");
      await listChanges(options);
    });

  connections
    .command("add")
    .description("add a connection to the store, encrypted")
    .argument("[file]", "the connection in JSON; standard input when left out")
    .addHelpText("after", "\nExample:\n  insurance-gateway connections add north-motor.json")
    .action(async (file: string | undefined) => {
      const { addConnection } = await import("./connections.ts");
      await addConnection(file);
    });

  connections
    .command("verify")
    .description("make one read with each connection, and report whether it works")
    .argument("[id...]", "the connections' ids; all, and each provider's own, when left out")
    .option("--json", "as JSON")
    .addHelpText("after", VERIFY_HELP)
    .action(async (ids: readonly string[], options: VerifyOptions) => {
      const { verify } = await import("./connections-verify.ts");
      await verify(ids, options);
    });

  connections
    .command("rotate")
    .description("replace the credentials and settings of a connection")
    .argument("<id>", "the connection's id")
    .argument("[file]", "the new credentials and settings in JSON; standard input when left out")
    .addHelpText("after", "\nExample:\n  insurance-gateway connections rotate north-motor new.json")
    .action(async (id: string, file: string | undefined) => {
      const { rotateConnection } = await import("./connections.ts");
      await rotateConnection(id, file);
    });

  connections
    .command("remove")
    .description("remove a connection, unless it has submissions with an unknown outcome")
    .argument("<id>", "the connection's id")
    .addHelpText("after", "\nExample:\n  insurance-gateway connections remove north-motor")
    .action(async (id: string) => {
      const { removeConnection } = await import("./connections.ts");
      await removeConnection(id);
    });
}

const VERIFY_HELP = `
The command sends each insurer a request that changes nothing, with the connection's own credentials. "default" is the
connection of a provider in the configuration. An endpoint that needs input gets the example of the provider's documentation.

Example:
  insurance-gateway connections verify north-motor

It exits with 1 if a connection cannot be used. "not tried: busy" means that the gateway had no free slot for the call.`;

const HELP = `
add reads a connection, and rotate its credentials, settings and quotas, from a file or from standard input:

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
Gateways use a new connection, or new credentials, within two seconds. To change a connection in the configuration file,
edit the file.`;
