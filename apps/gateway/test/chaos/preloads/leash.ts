// Each gateway of the chaos tests loads this file. The file kills the gateway when the test's process ends: the end of
// the test's process closes the gateway's standard input.
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  process.stdin.once("end", () => process.kill(process.pid, "SIGKILL")).resume();
  const { stdin }: { stdin: { unref?(): void } } = process;
  stdin.unref?.();
}
