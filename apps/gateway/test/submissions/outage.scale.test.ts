import { afterEach, describe, expect, it } from "vitest";
import { type Outage, QUERIES_PER_SECOND, startOutage } from "./outage.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SUBMISSIONS = 2_000;
/**
 * Maximum number of earlier submissions that a query may overtake, because the queries of one step run at the same
 * time.
 */
const OVERTAKING = 4 * QUERIES_PER_SECOND;

let outage: Outage;
afterEach(() => outage.close());

describe("an insurer that is back after 75 minutes, with 2,000 submissions of unknown outcome", () => {
  it("the gateway queries an insurer that answers again once for each submission of unknown outcome, oldest first", async () => {
    outage = await startOutage(SUBMISSIONS);
    await outage.pass(75 * MINUTE, MINUTE);
    outage.recover();
    const needed = (SUBMISSIONS / QUERIES_PER_SECOND) * SECOND + 10 * SECOND;
    const seconds = await outage.pass(needed, SECOND);

    const queried = seconds.flat();
    expect(new Set(queried)).toEqual(new Set(outage.customers));
    expect(queried).toHaveLength(SUBMISSIONS);
    expect(Math.max(...seconds.map(({ length }) => length))).toBe(QUERIES_PER_SECOND);
    const number = new Map(outage.customers.map((customer, index) => [customer, index]));
    // The first query is the probe, which may be for any submission, not only for the oldest.
    const early = queried
      .slice(1)
      .filter((customer, index) => (number.get(customer) ?? 0) > index + OVERTAKING);
    expect(early).toEqual([]);
    expect(outage.states()).toEqual(new Map([["succeeded", SUBMISSIONS]]));
  });
});
