import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const guard = fileURLToPath(new URL("./guard.sh", import.meta.url));

/** A temporary folder and a process that uses the folder. Both disappear when the test's process ends. */
export interface GuardedFolder {
  readonly path: string;
  /**
   * Sets the process that the guard ends together with this process. The command of the process must contain the
   * folder's path. Pass undefined after the process has ended.
   */
  watch(processId: number | undefined): void;
  /** Ends the watched process, if any, and removes the folder. */
  remove(): Promise<void>;
}

/**
 * Creates a guarded folder. The guard is a separate process, so the guard removes the folder even if the test's
 * process is killed.
 */
export function makeGuardedFolder(): GuardedFolder {
  const path = mkdtempSync(join(tmpdir(), "running-postgres-"));
  const child = spawn("sh", [guard, path], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    // The guard does not inherit the test's environment variables, which could change the guard's behaviour.
    env: { PATH: process.env.PATH },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("exit", resolve);
  });
  // Writing to a killed guard fails; `remove` reports the failure.
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
