import { connect } from "node:net";
import type { SlowLife, SlowPlan } from "./plan.ts";

/** A connection that is being kept. */
export interface SlowConnection {
  /** Gives it up. */
  end(): void;
}

/**
 * Makes a connection and sends its request slowly.
 * @param died - is told once, when either end has closed it; not when it could not be made
 */
export function openSlowConnection(
  { byte, everyMs, opening, port }: SlowPlan,
  died: (life: SlowLife | null) => void,
): SlowConnection {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let madeAt: number | null = null;
  let livedMs: number | null = null;
  let givenUp = false;
  let answer = "";
  let bytes: NodeJS.Timeout | undefined;
  const stopSending = (): void => {
    clearInterval(bytes);
    livedMs ??= performance.now() - (madeAt ?? performance.now());
  };
  socket.setEncoding("latin1");
  socket.once("connect", () => {
    madeAt = performance.now();
    socket.write(opening);
    bytes = setInterval(() => socket.write(byte), everyMs);
  });
  socket.on("data", (text: string) => {
    answer += text;
  });
  socket.once("end", stopSending);
  // What it comes to is told by its closing.
  socket.on("error", () => undefined);
  socket.once("close", () => {
    stopSending();
    const life = { livedMs: livedMs ?? 0, answer: answerIn(answer), closed: !givenUp };
    died(madeAt === null ? null : life);
  });
  return {
    end() {
      givenUp = true;
      socket.destroy();
    },
  };
}

function answerIn(text: string): string | null {
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  const [, code = ""] = /"code":"([A-Z_]+)"/.exec(text) ?? [];
  return status === undefined ? null : `${status} ${code}`.trim();
}
