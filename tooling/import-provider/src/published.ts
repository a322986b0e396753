import { runCommand } from "./command.ts";

/** The command `insurance-gateway-import`: writes a package that does not depend on this repository. */
await runCommand("published");
