import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const guard = fileURLToPath(new URL("./guard.sh", import.meta.url));

/** A temporary folder, and a process that uses it, that do not outlive this process. */
export interface GuardedFolder {
  readonly path: string;
  /** Names the process that must not outlive this one and has the path in its command; none once it has ended. */
  watch(processId: number | undefined): void;
  /** Ends the watched process, if there is one, and removes the folder. */
  remove(): Promise<void>;
}

/** Makes one. Its guard is a process of its own, so it does its work even if this one is killed. */
export function makeGuardedFolder(): GuardedFolder {
  const path = mkdtempSync(join(tmpdir(), "running-postgres-"));
  const child = spawn("sh", [guard, path], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    // None of the test's own variables changes what it does.
    env: { PATH: process.env.PATH },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("exit", resolve);
  });
  // A guard that was killed cannot be told anything; `remove` says so.
  child.stdin.on("error", () => undefined);
  child.unref();
  return {
    path,
    watch(processId) {
      child.stdin.write(`${processId ?? ""}\n`);
    },
    async remove() {
      child.ref();
      child.stdin.end();
      if ((await ended) !== 0) throw new Error(`Could not remove ${path}`);
    },
  };
}
