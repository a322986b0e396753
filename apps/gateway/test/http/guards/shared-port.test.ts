import { describe, expect, it } from "vitest";
import { openRaw } from "../../harness/send-raw.ts";
import { startHeldListener } from "./held-listener.ts";

// SO_REUSEPORT works like this only on Linux: other systems refuse it.
describe.runIf(process.platform === "linux")("a port of a listener", () => {
  it("several listeners can share a port if each has `sharedPort`, and the port stays open when one listener ends", async () => {
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

  it("a listener without `sharedPort` has its port alone, and a second listener fails", async () => {
    const first = await startHeldListener();
    const port = Number(new URL(first.address).port);
    for (const sharedPort of [false, true])
      await expect(startHeldListener({ place: { port, sharedPort } })).rejects.toThrow(
        "EADDRINUSE",
      );
    await first.drain();
  });
});
