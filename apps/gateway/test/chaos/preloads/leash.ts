// Loaded into every gateway of these tests: its standard input ends when the test's process does, however that ends.
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  process.stdin.once("end", () => process.kill(process.pid, "SIGKILL")).resume();
  const { stdin }: { stdin: { unref?(): void } } = process;
  stdin.unref?.();
}
