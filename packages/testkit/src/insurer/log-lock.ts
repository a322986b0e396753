import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

/**
 * Locks a log for one insurer with a file beside it that contains this process's id.
 * @returns a function that releases it
 * @throws an Error if another insurer, in any process, has locked it
 */
export function lockLog(path: string): () => void {
  const lock = `${path}.lock`;
  while (!claim(lock)) {
    const owner = ownerOf(lock);
    if (owner !== null)
      throw new Error(
        `An insurer of process ${owner} has the log ${path}; if it has not, remove ${lock}`,
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

/** The process of a lock; null if it has ended without removing the lock, or has just removed it. */
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

/** In a container every process may have the id of the one that crashed before it. */
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
