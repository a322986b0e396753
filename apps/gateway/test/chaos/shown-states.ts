import { forEachAtOnce } from "./at-once.ts";
import type { Deployment } from "./deployment.ts";

/** What a caller sees at a submission's address. */
interface Shown {
  readonly state?: string;
  readonly reference?: string | null;
}

/** Asks at the address of every submission, and compares what is shown there with what the insurer did. */
export async function wronglyShown(deployment: Deployment): Promise<readonly string[]> {
  const { insurer } = deployment;
  const records = await deployment.records();
  const afmOf = new Map(insurer.arrivals().map(({ afm, submissionId }) => [submissionId, afm]));
  const faults: string[] = [];
  await forEachAtOnce(records, async ({ id }) => {
    const { reference, state } = await shown(deployment, id);
    const references = insurer.carriedOut(afmOf.get(id) ?? "");
    const right =
      state === "succeeded"
        ? references.includes(reference ?? "")
        : state === "outcome_unknown" || (state === "failed" && references.length === 0);
    if (!right) faults.push(`${id}: shown as ${state}, and "${references.join()}" was carried out`);
  });
  return faults;
}

async function shown({ address, token }: Deployment, id: string): Promise<Shown> {
  const response = await fetch(`${address}/submissions/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const answer: Shown = JSON.parse(await response.text());
  return answer;
}
