import { describe, expect, it } from "vitest";
import { openRaw } from "../../harness/send-raw.ts";
import { startHeldListener } from "./held-listener.ts";

// On other systems, SO_REUSEPORT is refused or works differently.
describe.runIf(process.platform === "linux")("a port of a listener", () => {
  it("listeners with `sharedPort` can use the same port, and the port stays open when one of the listeners stops", async () => {
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

  it("a second listener cannot use the port of a listener without `sharedPort`", async () => {
    const first = await startHeldListener();
    const port = Number(new URL(first.address).port);
    for (const sharedPort of [false, true])
      await expect(startHeldListener({ place: { port, sharedPort } })).rejects.toThrow(
        "EADDRINUSE",
      );
    await first.drain();
  });
});
