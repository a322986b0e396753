import { setImmediate } from "node:timers/promises";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { SubmissionRecord } from "../../src/store/record.ts";
import {
  type Schedule,
  type ScheduleParts,
  startSchedule,
} from "../../src/submissions/schedule.ts";
import { clockAt, RECEIVED_AT, sampleSubmission } from "../harness/store-samples.ts";
import { createSteppedTime } from "./stepped-time.ts";

/** A query that the schedule has sent, with the query's time in milliseconds since the start. */
interface MadeQuery {
  readonly at: number;
  /** Number of the submission; 0 is the oldest. */
  readonly number: number;
  readonly probe: boolean;
}

/** A schedule with a clock, an insurer and a store that the test controls. */
export interface World {
  readonly schedule: Schedule;
  readonly made: MadeQuery[];
  /** Calls to the store as texts with the time since the start of the schedule, such as `lead at 1500`. */
  readonly storeCalls: string[];
  /** Errors of scheduled tasks. */
  readonly failures: unknown[];
  readonly stopping: AbortController;
  /** Time when the next query of each submission is due, in milliseconds since the start; null for no query. */
  readonly dueAt: (number | null)[];
  /** Returns the result of a query. By default, the insurer answers at once. */
  query: (made: MadeQuery) => Promise<boolean | "no_credentials">;
  /** Returns the store's answer to a process that asks to reconcile an insurer. */
  lead: (segment: string, owner: Uint8Array) => Promise<boolean>;
  now(): number;
  /** Returns the number of queries in progress. */
  underWay(): number;
  /** Advances the clock in steps of 50 milliseconds. */
  pass(milliseconds: number): Promise<void>;
}

/** Starts a schedule for an insurer with a number of submissions, whose queries are all due. */
export function startWorld(
  submissions: number,
  more: Partial<ScheduleParts & { shared: boolean }> = {},
): World {
  const { shared = false, ...parts } = more;
  const time = createSteppedTime();
  const start = time.now();
  const now = (): number => time.now() - start;
  let underWay = 0;
  const dueAt: World["dueAt"] = Array.from({ length: submissions }, () => 0);
  const records = dueAt.map((_, number) => recordOf(number));
  const world: Omit<World, "schedule"> = {
    made: [],
    storeCalls: [],
    failures: [],
    stopping: new AbortController(),
    dueAt,
    query: async () => true,
    lead: async () => true,
    now,
    underWay: () => underWay,
    async pass(milliseconds) {
      for (let passed = 0; passed < milliseconds; passed += 50) {
        time.step(Math.min(50, milliseconds - passed));
        await setImmediate();
      }
    },
  };
  const store = {
    shared,
    async lead(segment: string, owner: Uint8Array) {
      world.storeCalls.push(`lead at ${now()}`);
      return world.lead(segment, owner);
    },
    async due(_: string, at: number | "probe", limit: number, except: readonly string[]) {
      world.storeCalls.push(at === "probe" ? `probe at ${now()}` : `due at ${now()}`);
      const due = records.filter(({ account }, number) => {
        const from = except.includes(account) ? null : (dueAt[number] ?? null);
        return from !== null && (at === "probe" || from <= at - start);
      });
      return due.slice(0, limit);
    },
    async bringForward(segment: string, at: number, account: string | null) {
      const of = account === null ? segment : `${segment} of ${account}`;
      world.storeCalls.push(`bring ${of} forward at ${at - start}`);
      for (const [number, from] of dueAt.entries())
        if (from !== null) dueAt[number] = Math.min(from, at - start);
      return 0;
    },
    async bringForwardOne(id: string, at: number, unless: number) {
      world.storeCalls.push(`bring ${id} forward at ${at - start}, unless since ${unless - start}`);
      throw new StoreUnavailableError("x", false);
    },
  };
  const schedule = startSchedule({
    store: store as unknown as ScheduleParts["store"], // the schedule uses no other methods
    time,
    clock: clockAt(() => time.now()),
    stopping: world.stopping.signal,
    isMaintained: () => false,
    async reconcile(record, { waitForTurn, probe }) {
      underWay += 1;
      try {
        await waitForTurn();
        const query = { at: now(), number: records.indexOf(record), probe };
        world.made.push(query);
        const result = await world.query(query);
        if (result === "no_credentials") return result;
        dueAt[query.number] = result ? null : now() + 10_000;
        return result ? "answered" : "unanswered";
      } finally {
        underWay -= 1;
      }
    },
    segments: ["motor"],
    queriesPerSecond: () => 5,
    every: (_, milliseconds, work) =>
      time.every(milliseconds, () =>
        work().catch((error: unknown) => void world.failures.push(error)),
      ),
    ...parts,
  });
  return Object.assign(world, { schedule });
}

function recordOf(number: number): SubmissionRecord {
  const unknown = {
    state: "outcome_unknown",
    fence: 2,
    unknownAt: 0,
    unknownRunning: 0,
    queries: 0,
  } as const;
  const nothing = {
    absentRunning: null,
    insurerId: null,
    answeredId: null,
    answer: null,
    nextQueryAt: 0,
  };
  const submission = sampleSubmission({ receivedAt: RECEIVED_AT + number });
  return { ...submission, ...unknown, ...nothing, updatedAt: 0 };
}

/** Returns the times of the queries. */
export function timesOf({ made }: World): readonly number[] {
  return made.map(({ at }) => at);
}
