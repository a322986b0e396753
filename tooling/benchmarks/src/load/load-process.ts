import { setTimeout as wait } from "node:timers/promises";
import { clock } from "../clock.ts";
import { createRecorder } from "./columns.ts";
import { isGood, type LoadOrder, type LoadPlan, type LoadReport } from "./plan.ts";
import { createSender } from "./sender.ts";

/** How often it checks which requests are due. */
const LOOK_EVERY_MS = 1;

const stopped = new AbortController();
process.on("message", (order: LoadOrder) => {
  if ("end" in order) stopped.abort();
  else void run(order.begin, stopped.signal);
});
process.once("disconnect", () => process.exit());

/** Sends until it is told to end, waits for what is on its way, and reports everything. */
async function run(plan: LoadPlan, end: AbortSignal): Promise<void> {
  const recorder = createRecorder();
  const sender = createSender(plan);
  const counts = { good: 0, other: 0 };
  const begunAt = clock();
  const seconds = setInterval(() => {
    report({ second: { ...counts, inFlight: sender.inFlight() } });
    counts.good = counts.other = 0;
  }, 1_000);

  const send = (number: number): void => {
    const dueAt = begunAt + (number * 1_000) / plan.perSecond;
    const place = number % plan.calls.length;
    const call = plan.calls[place];
    if (call === undefined) throw new TypeError("There is no call to send");
    const lateMs = clock() - dueAt;
    const sent = sender.send(call, (ending) => {
      recorder.note(dueAt, lateMs, clock() - dueAt, place, ending);
      if (isGood(ending)) counts.good += 1;
      else counts.other += 1;
    });
    if (!sent) recorder.notSent(dueAt);
  };

  for (let number = 0; !end.aborted; await wait(LOOK_EVERY_MS)) {
    const due = ((clock() - begunAt) * plan.perSecond) / 1_000;
    for (; number <= due; number += 1) send(number);
  }
  while (sender.inFlight() > 0) await wait(10);
  clearInterval(seconds);
  await sender.close();
  // Whoever began this disconnects when it has everything.
  report({ columns: recorder.columns() });
}

function report(said: LoadReport): void {
  process.send?.(said);
}
