import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { dialects, startTarget } from "./hostile-targets.ts";

describe.each(dialects)("hostile messages in the dialect %s", (dialect) => {
  it("the JSON that the gateway makes from a hostile message is at most six times as long as the message", async () => {
    const target = await startTarget(dialect);
    onTestFinished(target.close);
    await fc.assert(
      fc.asyncProperty(target.shapes, fc.integer({ min: 1, max: 8_000 }), async (shape, size) => {
        const message = shape(size);
        // A control character, or half of a surrogate pair, may need six characters in JSON.
        expect(await target.read(message)).toBeLessThanOrEqual(6 * message.length);
      }),
      { numRuns: 60 },
    );
  });
});
