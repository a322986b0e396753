import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreRefusedError } from "../../../src/store/faults.ts";
import { keep } from "../../harness/store-samples.ts";
import type { StorePlace } from "./store-suite.ts";

const modes = ["serve", "beside"] as const;

/** Tests of opening a store that exists. */
export function describeOpening(makePlace: () => Promise<StorePlace>): void {
  describe("opening", () => {
    let place: StorePlace;
    beforeEach(async () => {
      place = await makePlace();
    });
    afterEach(() => place.remove());

    it("says whether other processes may serve from the same store", async () => {
      const store = await place.open("serve");
      expect(store.shared).toBe(place.shared);
      await store.close();
    });

    it("opening a second time keeps the content", async () => {
      const store = await place.open("serve");
      const { id } = await keep(store, "succeeded");
      await store.close();
      const again = await place.open("serve");
      expect((await again.find(id))?.state).toBe("succeeded");
      await again.close();
    });

    it("is undone once, however often it is asked for", async () => {
      const store = await place.open("serve");
      await Promise.all([store.close(), store.close()]);
      await store.close();
      await expect(store.list(["in_flight"], 1)).rejects.toThrow("The store is not available");
    });

    it.each(modes)("to %s is refused where a newer gateway wrote", async (mode) => {
      await (await place.open("serve")).close();
      await place.execute("INSERT INTO gateway_schema (version) VALUES (999)");
      // The first refusal holds nothing that would change the second.
      for (let time = 0; time < 2; time++)
        await expect(place.open(mode)).rejects.toThrow(
          new StoreRefusedError(
            "The store has schema version 999, and this gateway knows 1: it was written by a newer gateway. Run that one.",
          ),
        );
      await place.execute("DELETE FROM gateway_schema WHERE version = 999");
      await (await place.open("serve")).close();
    });

    it("beside a gateway is refused where an older gateway wrote", async () => {
      await (await place.open("serve")).close();
      await place.execute("DELETE FROM gateway_schema");
      const opening = place.open("beside");
      await expect(opening).rejects.toThrow(StoreRefusedError);
      await expect(opening).rejects.toThrow(
        "The store has schema version 0, and this gateway needs 1: start the gateway once",
      );
    });

    it("beside a gateway is refused where no gateway has served from, and leaves nothing there", async () => {
      for (let time = 0; time < 2; time++) {
        const opening = place.open("beside");
        await expect(opening).rejects.toThrow(StoreRefusedError);
        await expect(opening).rejects.toThrow(
          /^There is no store of submissions in .*\. Run the command with .*DATABASE_URL included\.$/,
        );
      }
    });
  });
}
