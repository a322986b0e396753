import type { Clock } from "@insurance-gateway/adapter/sandbox";

/**
 * The gateway processes that use the sandbox. The sandbox stops when the last of them detaches. A killed gateway has
 * some minutes to return.
 */
export interface Attachments {
  /** Records that a gateway process uses the sandbox. */
  attach(processId: number): void;
  /** Records that a gateway process no longer uses the sandbox. */
  detach(processId: number): void;
  /** Reports whether a gateway process uses the sandbox now. */
  inUse(): boolean;
  /** Reports whether no gateway has used the sandbox for `WAIT_FOR_RETURN_MS`. Call this function regularly. */
  abandoned(): boolean;
}

/** Time for which the sandbox waits for a gateway to return, in milliseconds. */
const WAIT_FOR_RETURN_MS = 10 * 60_000;

/**
 * Creates the list of attachments. The start of the sandbox counts as a use.
 * @param isAlive - reports whether a process exists
 */
export function createAttachments(
  clock: Clock,
  isAlive: (processId: number) => boolean,
): Attachments {
  const attached = new Set<number>();
  let lastUsed = clock().getTime();
  const inUse = (): boolean => [...attached].some(isAlive);
  return {
    attach: (processId) => void attached.add(processId),
    detach: (processId) => void attached.delete(processId),
    inUse,
    abandoned() {
      const now = clock().getTime();
      if (inUse()) lastUsed = now;
      return now - lastUsed > WAIT_FOR_RETURN_MS;
    },
  };
}

/** Reports whether a process of this machine exists. */
export function processIsAlive(processId: number): boolean {
  try {
    // Signal 0 only checks whether the process exists.
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
