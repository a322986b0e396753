import type { SubmissionRecord } from "../../../src/store/record.ts";
import type { CountedAttempts, UsageMethods, UsageRow } from "../../../src/store/stored-usage.ts";

/** The methods of a store, with the results themselves instead of promises. */
export type AtOnce<Store> = {
  readonly [Name in keyof Store]: Store[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Awaited<Result>
    : never;
};

/** Model of a store's usage. */
export interface UsageModel {
  readonly methods: AtOnce<UsageMethods>;
  /** Keeps a submission in the usage after its record is deleted. The submission counts with the result `as`. */
  deleted(one: SubmissionRecord, as: "succeeded" | "failed" | "notSent"): void;
  /** Returns the number of an account's submissions on a day. */
  submissionsOn(of: Pick<UsageRow, "account" | "day" | "segment">): number;
}

type Place = Pick<UsageRow, "account" | "day" | "endpoint" | "segment">;

/** Creates a model of the usage without any counts. */
export function createUsageModel(submissions: () => readonly SubmissionRecord[]): UsageModel {
  const rows = new Map<string, UsageRow>();
  let attempts: readonly CountedAttempts[] = [];

  const add = (place: Place, kind: string, more: Partial<UsageRow>): void => {
    const before = rows.get(keyOf(place)) ?? emptyRow(place, kind);
    rows.set(keyOf(place), sumOf(before, more));
  };
  const allRows = (): readonly UsageRow[] => {
    const all = new Map(rows);
    for (const one of submissions()) {
      const before = all.get(keyOf(one)) ?? emptyRow(one, "submission");
      all.set(keyOf(one), sumOf(before, { [countedAs[one.state]]: 1 }));
    }
    return [...all.values()];
  };
  const ofDay = (day: string, account: string | null): readonly UsageRow[] =>
    allRows().filter((row) => row.day === day && (account === null || row.account === account));

  const methods: UsageModel["methods"] = {
    addCounts(counts, asked) {
      for (const { calls, failedCalls, kind, ...place } of counts.calls)
        add(place, kind, { calls, failedCalls });
      for (const one of counts.attempts) attempts = withAttempts(attempts, one);
      return asked.map(({ account, day, segment }) =>
        ofDay(day, account)
          .filter((row) => row.segment === segment)
          .reduce((sum, { calls }) => sum + calls, 0),
      );
    },
    usageOn: (day, account) => ofDay(day, account).toSorted(by(keyOf)),
    attemptsSince: (day) =>
      attempts
        .filter((one) => one.day >= day)
        .toSorted(by((one) => JSON.stringify([one.day, one.segment]))),
    forgetCounts(usageBefore, availabilityBefore) {
      for (const [key, { day }] of rows) if (day < usageBefore) rows.delete(key);
      attempts = attempts.filter(({ day }) => day >= availabilityBefore);
    },
  };
  return {
    methods,
    deleted: (one, as) => add(one, "submission", { [as]: 1 }),
    submissionsOn: ({ account, day, segment }) =>
      ofDay(day, account)
        .filter((row) => row.segment === segment)
        .reduce(
          (sum, { failed, inFlight, succeeded, unknown }) =>
            sum + failed + inFlight + succeeded + unknown,
          0,
        ),
  };
}

const countedAs: Readonly<
  Record<SubmissionRecord["state"], "failed" | "inFlight" | "succeeded" | "unknown">
> = {
  succeeded: "succeeded",
  failed: "failed",
  in_flight: "inFlight",
  outcome_unknown: "unknown",
  needs_review: "unknown",
};

const nothing = {
  calls: 0,
  failedCalls: 0,
  succeeded: 0,
  failed: 0,
  unknown: 0,
  inFlight: 0,
  notSent: 0,
};

function emptyRow({ account, day, endpoint, segment }: Place, kind: string): UsageRow {
  return { day, account, segment, endpoint, kind, ...nothing };
}

function sumOf(row: UsageRow, more: Partial<UsageRow>): UsageRow {
  const sums = Object.entries(nothing).map(([name]) => {
    const [one, other]: readonly unknown[] = [Reflect.get(row, name), Reflect.get(more, name)];
    return [name, Number(one) + Number(other ?? 0)];
  });
  return { ...row, ...Object.fromEntries(sums) };
}

function withAttempts(
  all: readonly CountedAttempts[],
  one: CountedAttempts,
): readonly CountedAttempts[] {
  const isSame = ({ day, segment }: CountedAttempts): boolean =>
    day === one.day && segment === one.segment;
  const before = all.find(isSame) ?? { ...one, attempts: 0, failures: 0, heldBack: 0 };
  const sum = {
    ...before,
    attempts: before.attempts + one.attempts,
    failures: before.failures + one.failures,
    heldBack: before.heldBack + one.heldBack,
  };
  return [...all.filter((other) => !isSame(other)), sum];
}

function keyOf({ account, day, endpoint, segment }: Place): string {
  return JSON.stringify([day, account, segment, endpoint]);
}

function by<Item>(textOf: (item: Item) => string): (one: Item, other: Item) => number {
  return (one, other) => (textOf(one) < textOf(other) ? -1 : 1);
}
