import { expect, it } from "vitest";
import { startHeldListener } from "./held-listener.ts";

it("a refusal that waits is answered when it may be, and holds up nobody else", async () => {
  let release = (): void => {};
  const held = Promise.withResolvers<void>();
  const listener = await startHeldListener({
    holdRefusal: () => {
      held.resolve();
      return new Promise((resolve) => {
        release = resolve;
      });
    },
  });
  try {
    let answered = false;
    const refused = fetch(`${listener.address}/refused`).then((response) => {
      answered = true;
      return response.text();
    });
    await held.promise;
    const other = await fetch(`${listener.address}/now`);
    expect([await other.text(), answered]).toEqual(["now", false]);
    release();
    expect(await refused).toBe("refused");
  } finally {
    await listener.drain();
  }
});
