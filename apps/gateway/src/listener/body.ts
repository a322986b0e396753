import type { IncomingMessage } from "node:http";
import { Refusal } from "../problems/refusal.ts";
import { inBytes } from "./quantities.ts";

/** Reads the bodies of requests. */
export interface Bodies {
  /**
   * Reads a body to its end.
   * @throws Refusal when it is too large, or does not come whole
   */
  read(request: IncomingMessage): Promise<Uint8Array>;
  /** Ends the reading of a body of which no more will come, whether it has begun or not. */
  giveUp(request: IncomingMessage, why: Refusal): void;
}

/** Most bodies have no more. */
const FIRST_BYTES = 1_024;

/** Makes the reading of bodies of a limited size. */
export function createBodies(limitBytes: number): Bodies {
  const givenUp = new WeakMap<IncomingMessage, Refusal>();
  const readings = new WeakMap<IncomingMessage, (why: Refusal) => void>();
  const tooLarge = (): Refusal =>
    new Refusal("PAYLOAD_TOO_LARGE", {
      detail: `A JSON body may have at most ${inBytes(limitBytes)}.`,
    });
  return {
    async read(request) {
      const why = givenUp.get(request);
      if (why !== undefined) throw why;
      if (request.destroyed) throw notWhole();
      if (Number(request.headers["content-length"]) > limitBytes) throw tooLarge();
      return new Promise((resolve, reject) => {
        // One buffer: what comes in a thousand pieces would take a thousand times the memory of a piece.
        let body = Buffer.alloc(FIRST_BYTES);
        let bytes = 0;
        const take = (piece: Uint8Array): void => {
          const after = bytes + piece.byteLength;
          if (after > limitBytes) {
            reject(tooLarge());
            return;
          }
          if (after > body.length) body = Buffer.concat([body], Math.max(after, 2 * body.length));
          body.set(piece, bytes);
          bytes = after;
        };
        readings.set(request, reject);
        request.on("data", take);
        request.once("end", () => resolve(body.subarray(0, bytes)));
        request.once("close", () => reject(notWhole()));
      });
    },
    giveUp(request, why) {
      givenUp.set(request, why);
      readings.get(request)?.(why);
    },
  };
}

/** Its caller has gone, so nobody will read this. */
function notWhole(): Refusal {
  return new Refusal("INVALID_REQUEST", {
    detail: "The body did not arrive whole; send it again.",
  });
}

/** Whether a request was refused because its body is too large, and may still be on its way. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Refusal && error.code === "PAYLOAD_TOO_LARGE";
}
