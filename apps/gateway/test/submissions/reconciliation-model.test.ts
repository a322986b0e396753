import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import type { InsurerPlan, PagedBy, PageEvent } from "./model-insurer.ts";
import { contradictionsOf, type LookPlan, type WorldPlan } from "./reconciliation-world.ts";
import type { SubmissionPlan } from "./submission-facts.ts";

// fast-check prints the seed and the smallest random world that fails. To run more worlds: RECONCILIATION_WORLDS=5000.
const SEED = Number(process.env.RECONCILIATION_SEED ?? 20_261_122);
const WORLDS = Number(process.env.RECONCILIATION_WORLDS ?? 150);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/**
 * Maximum errors of a process's clock and of the insurer's clock. Together they are the five minutes by which the
 * insurer's clock may be behind a process's clock.
 */
const PROCESS_CLOCK = 30 * SECOND;
const INSURER_CLOCK = 5 * MINUTE - PROCESS_CLOCK;

const submission: fc.Arbitrary<SubmissionPlan> = fc
  .record({
    arrivesAt: fc.constantFrom(0, 1, 20 * SECOND, 44 * SECOND, 90 * SECOND),
    caller: fc.nat(2),
    segment: fc.constantFrom("motor" as const, "motor" as const, "fleet" as const),
    vehicle: fc.constantFrom(0, 0, 0, 1),
    name: fc.nat(1),
    waits: fc.constantFrom(1, 20 * SECOND, 45 * SECOND),
    carriedOut: fc.constantFrom("in time" as const, "late" as const, "never" as const),
    lateBy: fc.constantFrom(0, 0.5, 1),
    answer: fc.constantFrom("arrives" as const, "is lost" as const, "finds no process" as const),
    clock: fc.constantFrom(-PROCESS_CLOCK, 0, PROCESS_CLOCK),
  })
  // A submission's lease ends 15 seconds after the submission's deadline, so a process that waits for the answer must
  // have the right time.
  .map((plan) => (plan.answer === "arrives" ? { ...plan, clock: 0 } : plan));

const pageEvent = fc.constantFrom<PageEvent>(
  "nothing",
  "nothing",
  "time passes",
  "another item is added",
  "an older item is removed",
  "a newer item is removed",
  "the page is empty",
  "no answer",
  "another answer",
);

const insurer: fc.Arbitrary<InsurerPlan> = fc
  .record({
    paged: fc.constantFrom<PagedBy>(
      "start 1",
      "start 0",
      "offset",
      "page 1",
      "page 0",
      "cursor",
      "link",
    ),
    clock: fc.constantFrom(-INSURER_CLOCK, 0, INSURER_CLOCK),
    order: fc.constantFrom(
      "newest first" as const,
      "newest first" as const,
      "oldest first" as const,
      "any" as const,
    ),
    total: fc.constantFrom("of the list" as const, "of the page" as const, "null" as const),
    shortPages: fc.constantFrom(100, 100, 37, 2, 1),
    older: fc.constantFrom(0, 0, 1, 99, 100, 150),
    bulk: fc.constantFrom(0, 0, 0, 98, 99, 100, 130),
    foreign: fc.constantFrom(0, 0, 0, 1),
    pages: fc.oneof(fc.constant<PageEvent[]>([]), fc.array(pageEvent, { maxLength: 6 })),
  })
  // Items of a short page may be in the declared order by chance, even if the whole list is not. Lists in any order
  // have no short pages.
  .map((plan) => (plan.order === "any" ? { ...plan, shortPages: 100 } : plan));

const look: fc.Arbitrary<LookPlan> = fc.record({
  after: fc.oneof(
    fc.integer({ min: 0, max: 90 * SECOND }),
    fc.constantFrom(2 * SECOND, 2 * MINUTE, 3 * MINUTE),
  ),
  newestFirst: fc.boolean(),
});

const world: fc.Arbitrary<WorldPlan> = fc.record({
  submissions: fc.array(submission, { minLength: 1, maxLength: 4 }),
  insurer,
  looks: fc.array(look, { minLength: 1, maxLength: 7 }),
});

let folder: string;
let store: SubmissionStore;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "insurance-gateway-"));
  store = await openSqliteStore({ file: join(folder, "submissions.sqlite"), mode: "serve" });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

it("reconciliation never contradicts the insurer's records, and sends no submission twice, in random worlds", async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(world, async (plan) => {
      number += 1;
      expect((await contradictionsOf(plan, store, number)).join("; ")).toBe("");
    }),
    { seed: SEED, numRuns: WORLDS, includeErrorInReport: true },
  );
});
