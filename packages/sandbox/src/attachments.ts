import type { Clock } from "@insurance-gateway/adapter/sandbox";

/**
 * Which gateway processes use the sandbox. It ends with the last of them that detaches; one that was killed
 * has some minutes to come back.
 */
export interface Attachments {
  /** Notes that a gateway process uses the sandbox. */
  attach(processId: number): void;
  /** Notes that it no longer does. */
  detach(processId: number): void;
  /** Whether a gateway process uses the sandbox now. */
  inUse(): boolean;
  /** Whether none has used it for so long that none will come back; to be asked now and then. */
  abandoned(): boolean;
}

/** How long the sandbox waits for a gateway to come back. */
const WAIT_FOR_RETURN_MS = 10 * 60_000;

/**
 * Keeps the attachments; the start counts as a use.
 * @param isAlive - whether a process exists
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

/** Whether a process of this machine exists. */
export function processIsAlive(processId: number): boolean {
  try {
    // Signal 0 is not sent; it only asks.
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}
