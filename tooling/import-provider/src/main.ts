import { runCommand } from "./command.ts";

/** `npm run import:provider`: writes into the packages of this repository. */
await runCommand("repository");
