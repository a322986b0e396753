import { afterEach, describe, expect, it } from "vitest";
import { type Outage, QUERIES_PER_SECOND, startOutage } from "./outage.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let outage: Outage;
afterEach(() => outage.close());

describe("an insurer that is back after 75 minutes, with 250 submissions of unknown outcome", () => {
  it("the gateway queries the insurer for each submission within 60 seconds, at most 5 times a second", async () => {
    outage = await startOutage(250);
    await outage.pass(75 * MINUTE, MINUTE);
    outage.recover();
    const seconds = await outage.pass(60 * SECOND, SECOND);

    expect(new Set(seconds.flat())).toEqual(new Set(outage.customers));
    const counts = seconds.map((queried) => queried.length);
    expect(Math.max(...counts)).toBe(QUERIES_PER_SECOND);
    expect(counts.reduce((sum, count) => sum + count)).toBe(250);
    expect(outage.states()).toEqual(new Map([["succeeded", 250]]));
  }, 120_000);
});
