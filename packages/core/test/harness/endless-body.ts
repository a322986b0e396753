import type { Reply } from "./scripted-server.ts";

/** A body that is written only as fast as the receiver reads it. */
export interface EndlessBody {
  readonly reply: Reply;
  /** Returns the number of bytes that the receiver and the system's buffers have accepted so far. */
  taken(): number;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
}

/** Piece of the body. Each piece starts like a PDF. */
const PIECE = Buffer.from("%PDF-".padEnd(64 * 1024, "x"));

/** Returns a reply that sends a number of bytes, and waits while the connection is full. */
export function endlessBody(size: number, mediaType: string): EndlessBody {
  const closed = Promise.withResolvers<void>();
  let taken = 0;
  return {
    taken: () => taken,
    closed: closed.promise,
    reply(response) {
      response.writeHead(200, { "content-type": mediaType, "content-length": size });
      response.once("close", closed.resolve);
      const write = (): void => {
        const piece = PIECE.subarray(0, Math.min(PIECE.byteLength, size - taken));
        if (piece.byteLength === 0) return void response.end();
        // Called when the system's buffers have accepted the piece.
        response.write(piece, (error) => {
          if (error) return;
          taken += piece.byteLength;
          write();
        });
      };
      write();
    },
  };
}
