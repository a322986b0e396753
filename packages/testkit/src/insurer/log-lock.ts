import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

/**
 * Takes a log for one insurer, by a file beside it that names this process.
 * @returns the function that lets it go
 * @throws an Error when another insurer has it, in whatever process
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

/** The process that a lock names; null when it has ended and so could not remove it, or just has. */
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
