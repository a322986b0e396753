import type { Clock } from "@insurance-gateway/core/sandbox";

/** Who uses the sandbox: it ends when the last gateway detaches, or when none has been heard of for a while. */
export interface Attachments {
  /** Notes that a gateway is there; it says so again before the attachment lapses. */
  attach(gateway: string): void;
  /** Notes that a gateway has gone. */
  detach(gateway: string): void;
  /** Whether nobody is attached any more. */
  abandoned(): boolean;
}

/** How long a gateway that has not been heard of counts as attached: one that was killed may come back. */
const ATTACHMENT_LAPSES_AFTER_MS = 10 * 60_000;

/** Keeps the attachments; before the first one, the time since the start counts. */
export function createAttachments(clock: Clock): Attachments {
  const lastHeard = new Map<string, number>([["start", clock().getTime()]]);
  return {
    attach(gateway) {
      lastHeard.delete("start");
      lastHeard.set(gateway, clock().getTime());
    },
    detach(gateway) {
      lastHeard.delete(gateway);
    },
    abandoned() {
      const horizon = clock().getTime() - ATTACHMENT_LAPSES_AFTER_MS;
      return [...lastHeard.values()].every((heard) => heard < horizon);
    },
  };
}
