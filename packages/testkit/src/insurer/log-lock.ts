import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

/**
 * Locks a log for one insurer with a lock file that contains this process's id.
 * @returns a function that releases the lock
 * @throws an Error if another insurer, in any process, has locked the log
 */
export function lockLog(path: string): () => void {
  const lock = `${path}.lock`;
  while (!claim(lock)) {
    const owner = ownerOf(lock);
    if (owner !== null)
      throw new Error(
        `An insurer of process ${owner} uses the log ${path}; if it does not, remove ${lock}`,
      );
    rmSync(lock, { force: true });
  }
  return () => rmSync(lock, { force: true });
}

function claim(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** Returns the id of the process that holds a lock, or null if the process has ended or has just removed the lock. */
function ownerOf(lock: string): number | null {
  try {
    const owner = Number(readFileSync(lock, "utf8"));
    const isAlive = owner === process.pid ? isFromThisProcess(lock) : isRunning(owner);
    return isAlive ? owner : null;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Reports whether this process created the lock. In a container, a crashed process may have had this process's id. */
function isFromThisProcess(lock: string): boolean {
  return statSync(lock).mtimeMs >= Date.now() - process.uptime() * 1_000;
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
