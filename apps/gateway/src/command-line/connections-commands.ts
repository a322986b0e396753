import type { Command } from "commander";
import type { ListConnectionsOptions } from "./connections.ts";

/** Adds the commands that list and change the connections of tenants to insurers. */
export function registerConnections(program: Command): void {
  const connections = program
    .command("connections")
    .description("the tenants' accounts at insurers, also while a gateway serves")
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
    .command("add")
    .description("add a connection to the store, encrypted")
    .argument("[file]", "the connection in JSON; standard input when left out")
    .addHelpText("after", "\nExample:\n  insurance-gateway connections add north-motor.json")
    .action(async (file: string | undefined) => {
      const { addConnection } = await import("./connections.ts");
      await addConnection(file);
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
    .description("remove a connection; one whose submissions have no outcome yet is kept")
    .argument("<id>", "the connection's id")
    .addHelpText("after", "\nExample:\n  insurance-gateway connections remove north-motor")
    .action(async (id: string) => {
      const { removeConnection } = await import("./connections.ts");
      await removeConnection(id);
    });
}

const HELP = `
add takes a connection, rotate its credentials and settings, from a file or from standard input:

  {
    "id": "north-motor",
    "tenant": { "issuer": "https://login.example", "name": "north" },
    "segment": "provider-d",
    "credentials": { "type": "basic", "username": { "env": "NORTH_USER" }, "password": { "file": "north.txt" } },
    "settings": { "agency": "4711" }
  }

A secret is { "env": "NAME" } or { "file": "PATH" }, read now, or its text. It is stored encrypted and never printed.
Gateways use a new connection, or new credentials, within two seconds. A connection in the configuration file is changed
there.`;
