import { runCommand } from "./command.ts";

/** The command `insurance-gateway-import`: writes a package that needs nothing of this repository. */
await runCommand("published");
