import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { forEachAtOnce } from "./at-once.ts";
import type { Deployment } from "./deployment.ts";

/** The state that the gateway shows at a submission's address. */
interface ShownState {
  readonly state?: string;
  readonly insurerId?: string | null;
}

/** Compares the state at each submission's address with the insurer's log. Returns the contradictions. */
export async function wronglyShown(deployment: Deployment): Promise<readonly string[]> {
  const { insurer } = deployment;
  const records = await deployment.records();
  const afmOf = new Map(insurer.arrivals().map(({ afm, submissionId }) => [submissionId, afm]));
  const faults: string[] = [];
  await forEachAtOnce(records, async ({ id }) => {
    const { insurerId, state } = await shown(deployment, id);
    const insurerIds = insurer.carriedOut(afmOf.get(id) ?? "");
    const right =
      state === "succeeded"
        ? insurerIds.includes(insurerId ?? "")
        : state === "outcome_unknown" || (state === "failed" && insurerIds.length === 0);
    if (!right) faults.push(`${id}: shown as ${state}, and "${insurerIds.join()}" was carried out`);
  });
  return faults;
}

/**
 * Reads the state at a submission's address. If the request exceeds the rate limit, repeats it after the time in
 * `Retry-After`.
 */
async function shown(deployment: Deployment, id: string): Promise<ShownState> {
  const { address, token } = deployment;
  const response = await fetch(`${address}/submissions/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  if (response.status === 429) {
    const seconds = Number(response.headers.get("retry-after") ?? "not said");
    expect(seconds, "how long to wait").toBeGreaterThan(0);
    await setTimeout(seconds * 1_000);
    return shown(deployment, id);
  }
  if (response.status !== 200) throw new Error(`${id}: ${response.status} ${text}`);
  const answer: ShownState = JSON.parse(text);
  return answer;
}
