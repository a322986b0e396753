// Node loads this file before the gateway's program. The gateway dies when its standard input ends, as it does when the
// test's process dies.
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  process.stdin.once("end", () => process.kill(process.pid, "SIGKILL")).resume();
  const { stdin }: { stdin: { unref?(): void } } = process;
  stdin.unref?.();
}
