import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreRefusedError } from "../../../src/store/faults.ts";
import { keep } from "../../harness/store-samples.ts";
import type { StorePlace } from "./store-suite.ts";

const modes = ["serve", "beside"] as const;

/** Tests of opening an existing store. */
export function describeOpening(makePlace: () => Promise<StorePlace>): void {
  describe("opening a store", () => {
    let place: StorePlace;
    beforeEach(async () => {
      place = await makePlace();
    });
    afterEach(() => place.remove());

    it("a store reports whether several processes may serve from this store", async () => {
      const store = await place.open("serve");
      expect(store.shared).toBe(place.shared);
      await store.close();
    });

    it("a store that is closed and opened again has the same content as before", async () => {
      const store = await place.open("serve");
      const { id } = await keep(store, "succeeded");
      await store.close();
      const again = await place.open("serve");
      expect((await again.find(id))?.state).toBe("succeeded");
      await again.close();
    });

    it("a store can be closed several times, and refuses all other calls after the first call of `close`", async () => {
      const store = await place.open("serve");
      await Promise.all([store.close(), store.close()]);
      await store.close();
      await expect(store.list(["in_flight"], 1)).rejects.toThrow("The store is not available");
    });

    it.each(modes)(
      "opening a store in the mode `%s` fails if a newer gateway wrote the store",
      async (mode) => {
        await (await place.open("serve")).close();
        await place.execute("INSERT INTO gateway_schema (version) VALUES (999)");
        // The second attempt has the same result, because the refusal of the first attempt changes nothing.
        for (let time = 0; time < 2; time++)
          await expect(place.open(mode)).rejects.toThrow(
            new StoreRefusedError(
              "The store has schema version 999, and this gateway supports only 1: a newer gateway wrote the store. Run the newer gateway.",
            ),
          );
        await place.execute("DELETE FROM gateway_schema WHERE version = 999");
        await (await place.open("serve")).close();
      },
    );

    it("a command cannot open a store that an older gateway wrote", async () => {
      await (await place.open("serve")).close();
      await place.execute("DELETE FROM gateway_schema");
      const opening = place.open("beside");
      await expect(opening).rejects.toThrow(StoreRefusedError);
      await expect(opening).rejects.toThrow(
        "The store has schema version 0, and this gateway needs 1: start the gateway once",
      );
    });

    it("a command cannot open a store from which no gateway has served, and creates nothing", async () => {
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
