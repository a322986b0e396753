import type { SlowLife, SlowOrder, SlowPlan, SlowReport } from "./plan.ts";
import { openSlowConnection, type SlowConnection } from "./slow-connection.ts";

/** How soon a connection that was closed is made anew. */
const AGAIN_AFTER_MS = 250;

const stopped = new AbortController();
process.on("message", (order: SlowOrder) => {
  if ("end" in order) stopped.abort();
  else run(order.begin, stopped.signal);
});
process.once("disconnect", () => process.exit());

/** Keeps the connections until it is told to end; then reports how each one lived. */
function run(plan: SlowPlan, end: AbortSignal): void {
  const lives: SlowLife[] = [];
  const open = new Set<SlowConnection>();
  const begin = (): void => {
    if (end.aborted) return;
    const connection = openSlowConnection(plan, (life) => {
      open.delete(connection);
      if (life !== null) lives.push(life);
      if (!end.aborted) setTimeout(begin, AGAIN_AFTER_MS);
      else if (open.size === 0) finish(lives);
    });
    open.add(connection);
  };
  // Spread over the time between two bytes, so that the bytes are spread, too.
  for (let number = 0; number < plan.connections; number += 1)
    setTimeout(begin, (number * plan.everyMs) / plan.connections);
  end.addEventListener("abort", () => {
    if (open.size === 0) finish(lives);
    for (const connection of open) connection.end();
  });
}

function finish(lives: readonly SlowLife[]): void {
  // Whoever began this disconnects when it has everything.
  process.send?.({ lives } satisfies SlowReport);
}
