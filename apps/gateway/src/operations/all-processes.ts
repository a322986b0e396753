import { defaultConnection } from "../connections/connection.ts";
import type { CountedAnswer } from "../observation/unmatched-answers.ts";
import { type ListedProvider, MOST_NAMED, type ProviderList } from "./provider-list.ts";
import { stateOf } from "./provider-state.ts";

/**
 * One list of the lists that several processes made: calls are added up, a breaker is as open as in any process, and
 * percentiles are those of the slowest process.
 */
export function joinProviders([first, ...others]: readonly ProviderList[]): ProviderList {
  if (first === undefined) throw new TypeError("At least one process has answered");
  const items = first.items.map((item) => {
    const same = others.flatMap(({ items: list }) =>
      list.filter(({ segment }) => segment === item.segment),
    );
    return joinProvider(item, [item, ...same]);
  });
  return { items, at: first.at };
}

const byOpenness = ["closed", "half_open", "open"] as const;

function joinProvider(item: ListedProvider, all: readonly ListedProvider[]): ListedProvider {
  const sum = (value: (one: ListedProvider) => number): number =>
    all.reduce((total, one) => total + value(one), 0);
  const calls = sum((one) => one.calls);
  const errors = sum((one) => (one.errorRate ?? 0) * one.calls);
  const errorRate = calls === 0 ? null : errors / calls;
  const queued = sum((one) => one.queued);
  const breaker =
    byOpenness.findLast((state) => all.some((one) => one.breaker === state)) ?? "closed";
  const refusedConnections = [...new Set(all.flatMap((one) => one.refusedConnections))];
  const areCredentialsRefused = refusedConnections.includes(defaultConnection);
  return {
    ...item,
    ...stateOf({ breaker, queued, calls, errorRate, areCredentialsRefused }),
    breaker,
    running: sum((one) => one.running),
    queued,
    calls,
    refused: sum((one) => one.refused),
    errorRate,
    p50Ms: highest(all.map((one) => one.p50Ms)),
    p95Ms: highest(all.map((one) => one.p95Ms)),
    // Instants of one form: the order of their text is the order in time.
    lastSuccessAt: highest(all.map((one) => one.lastSuccessAt)),
    refusedConnections: refusedConnections.slice(0, MOST_NAMED),
    unknownSubmissions: highest(all.map((one) => one.unknownSubmissions)),
  };
}

/** Null where none has a value. */
function highest<Value extends number | string>(values: readonly (Value | null)[]): Value | null {
  return values.reduce((most, value) => {
    if (value === null || (most !== null && most > value)) return most;
    return value;
  }, null);
}

/** The answers of all processes that no row of `failures` matches, each kind once, the most frequent first. */
export function joinAnswers(
  lists: readonly (readonly CountedAnswer[])[],
): readonly CountedAnswer[] {
  const kinds = new Map<string, CountedAnswer>();
  for (const { count, firstAt, lastAt, ...kind } of lists.flat()) {
    const key = JSON.stringify(kind);
    const before = kinds.get(key);
    kinds.set(key, {
      ...kind,
      count: count + (before?.count ?? 0),
      firstAt: before !== undefined && before.firstAt < firstAt ? before.firstAt : firstAt,
      lastAt: before !== undefined && before.lastAt > lastAt ? before.lastAt : lastAt,
    });
  }
  return [...kinds.values()].toSorted((one, other) => other.count - one.count);
}
