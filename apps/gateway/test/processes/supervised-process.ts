import cluster from "node:cluster";
import { serveWith } from "../../src/command-line/serve-processes.ts";
import { openPeers } from "../../src/processes/peers.ts";

/**
 * A supervisor with two processes that serve nothing. They end with code 7 on SIGHUP and with code 0 on SIGTERM; with an
 * argument, the first one ends at once with that code.
 */
const [, , code] = process.argv;

if (cluster.isPrimary) await serveWith(2);
else {
  const peers = openPeers();
  process.on("SIGHUP", () => process.exit(7));
  process.on("SIGTERM", () => process.exit(0));
  void peers.replaced.then(() => process.exit(0));
  if (code !== undefined) process.exit(Number(code));
  peers.serving(`${peers.number} serves\n`, 1_000);
}
