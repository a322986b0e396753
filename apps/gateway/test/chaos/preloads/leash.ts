// Loaded into each gateway of these tests. It ends the gateway when the test's process ends and so closes its standard
// input.
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  process.stdin.once("end", () => process.kill(process.pid, "SIGKILL")).resume();
  const { stdin }: { stdin: { unref?(): void } } = process;
  stdin.unref?.();
}
