import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import type { SubmissionStore } from "../../../src/store/store.ts";
import { describeClaims } from "./claims.ts";
import { describeKeeping } from "./keeping.ts";
import { describeModel } from "./model.ts";
import { describeOpening } from "./opening.ts";
import { describeReconciliation } from "./reconciliation.ts";
import { describeRunningTime } from "./running-time.ts";
import { describeSettlements } from "./settlements.ts";

/** A place for submissions of a test's own, with nothing in it at first. */
export interface StorePlace {
  /** Opens the store there. */
  open(mode: "serve" | "beside"): Promise<SubmissionStore>;
  /** Runs SQL there, beside any store. */
  execute(sql: string): Promise<void>;
  /** Whether several processes may serve from it. */
  readonly shared: boolean;
  remove(): Promise<void>;
}

/** The stores of one test: an empty one, and the same again as another process opens it, with SQL on both. */
export interface StoreUnderTest extends Pick<StorePlace, "execute"> {
  readonly store: SubmissionStore;
  /** A replica where replicas share the store, a command otherwise. */
  readonly other: SubmissionStore;
}

/** Everything that a store of submissions has to do, whatever it keeps them in. */
export function describeStore(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`submissions kept in ${name}`, () => {
    describe("as long as a gateway serves", () => {
      let place: StorePlace;
      let under: StoreUnderTest;
      beforeAll(async () => {
        place = await makePlace();
        const store = await place.open("serve");
        const other = await place.open(place.shared ? "serve" : "beside");
        under = { store, other, execute: (sql) => place.execute(sql) };
      });
      beforeEach(() =>
        place.execute(
          ["submissions", "resolutions", "secrets"]
            .map((table) => `DELETE FROM gateway_${table};`)
            .join(" "),
        ),
      );
      afterAll(async () => {
        await under.store.close();
        await under.other.close();
        await place.remove();
      });
      const current = (): StoreUnderTest => under;
      describeClaims(current);
      describeSettlements(current);
      describeReconciliation(current);
      describeKeeping(current);
      describeModel(current);
      describeRunningTime(current);
    });
    describeOpening(makePlace);
  });
}
