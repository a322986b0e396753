import { expect, it, onTestFinished, vi } from "vitest";
import { holdTimers } from "../../harness/held-timers.ts";
import { type Behaviour, json } from "../../harness/insurer.ts";
import { holding, nothingFound, startSite } from "../../harness/site.ts";

it.each<[string, Behaviour]>([
  ["answers", nothingFound],
  ["fails", json(500, {})],
])(
  "the operator's list of providers includes the duration of an attempt if the insurer %s",
  async (_, behaviour) => {
    const site = await startSite({});
    onTestFinished(() => site.stop());
    const held = holding(behaviour);
    site.insurer.behaviour = held.behaviour;
    holdTimers(["performance"]);
    const arrived = site.insurer.nextArrival();
    const asked = site.ask();
    await arrived;
    vi.advanceTimersByTime(2_000);
    held.release();
    await (await asked).arrayBuffer();
    const list = await fetch(`${site.gateway.operationsAddress}/providers`);
    const { items }: { items: readonly object[] } = JSON.parse(await list.text());
    const [provider] = items.filter((item) => Reflect.get(item, "segment") === "provider-d");
    const p50Ms = Number(Reflect.get(Object(provider), "p50Ms"));
    // The list's percentiles have an error of at most 5 %.
    expect(Math.abs(p50Ms - 2_000)).toBeLessThanOrEqual(100);
  },
);
