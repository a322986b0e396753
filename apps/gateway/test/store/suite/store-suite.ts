import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import type { SubmissionStore } from "../../../src/store/store.ts";
import { describeClaims } from "./claims.ts";
import { describeKeeping } from "./keeping.ts";
import { describeModel } from "./model.ts";
import { describeOpening } from "./opening.ts";
import { describeReconciliation } from "./reconciliation.ts";
import { describeRunningTime } from "./running-time.ts";
import { describeSettlements } from "./settlements.ts";

/** A database or folder for a test's store, empty at first. */
export interface StorePlace {
  /** Opens the store in this database or folder. */
  open(mode: "serve" | "beside"): Promise<SubmissionStore>;
  /** Runs SQL in this database, without an open store. */
  execute(sql: string): Promise<void>;
  /** True if several processes may serve from the store. */
  readonly shared: boolean;
  remove(): Promise<void>;
}

/** The store of one test, which two processes have opened, and on which the test can run SQL. */
export interface StoreUnderTest extends Pick<StorePlace, "execute"> {
  readonly store: SubmissionStore;
  /** The same store, opened by another gateway if several may serve from the store; if not, by a command. */
  readonly other: SubmissionStore;
}

/** Tests of a store, the same for SQLite and PostgreSQL. */
export function describeStore(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`submissions in ${name}`, () => {
    describe("while a gateway serves", () => {
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
