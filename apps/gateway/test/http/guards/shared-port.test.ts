import { describe, expect, it } from "vitest";
import { openRaw } from "../../harness/send-raw.ts";
import { startHeldListener } from "./held-listener.ts";

// SO_REUSEPORT as it is meant here is Linux's: elsewhere the system refuses it.
describe.runIf(process.platform === "linux")("a port", () => {
  it("can be shared where every listener says so, and goes on when one of them ends", async () => {
    const first = await startHeldListener({ place: { sharedPort: true } });
    const port = Number(new URL(first.address).port);
    const second = await startHeldListener({ place: { port, sharedPort: true } });
    expect(second.address).toBe(first.address);
    await first.drain();
    const connection = await openRaw(first.address);
    connection.send("GET /now HTTP/1.1\r\nhost: x\r\n\r\n");
    expect((await connection.answer())?.body).toBe("now");
    await second.drain();
  });

  it("is one listener's alone otherwise", async () => {
    const first = await startHeldListener();
    const port = Number(new URL(first.address).port);
    for (const sharedPort of [false, true])
      await expect(startHeldListener({ place: { port, sharedPort } })).rejects.toThrow(
        "EADDRINUSE",
      );
    await first.drain();
  });
});
