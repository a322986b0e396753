import type { SubmissionStore } from "../../src/store/store.ts";
import type { ListedItem, ModelInsurer } from "./model-insurer.ts";

/** Course of one submission. All times are in milliseconds. */
export interface SubmissionPlan {
  /** Arrival time after the start of the world. */
  readonly arrivesAt: number;
  readonly caller: number;
  readonly segment: "motor" | "fleet";
  /** Number of the vehicle. Submissions for the same vehicle have the same match fields. */
  readonly vehicle: number;
  /** Number of the customer's name, which is not a match field. */
  readonly name: number;
  /** Time for which the gateway waits for the answer. */
  readonly waits: number;
  /** When the insurer executes the submission: while the gateway waits, later within `settleAfterMs`, or never. */
  readonly carriedOut: "in time" | "late" | "never";
  /** Delay of a late execution, as a fraction of `settleAfterMs`. */
  readonly lateBy: number;
  /** Whether the answer arrives, is lost, or arrives after the end of the process. */
  readonly answer: "arrives" | "is lost" | "finds no process";
  /** Difference between the process's clock and the true time. */
  readonly clock: number;
}

/** Facts about one submission, independent of the store. */
export interface Fact {
  readonly plan: SubmissionPlan;
  id: string | null;
  sent: number;
  item: ListedItem | null;
  /** Result that the caller of the submission received; null for none. */
  told: "succeeded" | "failed" | null;
}

/** Returns the false statements about a submission in the store or in the caller's result. */
export async function falseStatements(
  { id, item, plan, sent, told }: Fact,
  store: SubmissionStore,
  insurer: ModelInsurer,
  owners: Map<string, string>,
  isAlone: boolean,
): Promise<readonly string[]> {
  if (id === null) return [];
  const found: string[] = [];
  const record = await store.find(id);
  const { insurerId = null, state = "gone" } = { ...record };
  if (sent > 1) found.push(`${id} was sent ${sent} times`);
  for (const [who, what] of [
    ["the store", state],
    ["its caller", told],
  ] as const) {
    if (what === "failed" && item !== null) found.push(`${who} has ${id} as failed, and it exists`);
    if (what === "succeeded" && item === null)
      found.push(`${who} has ${id} as carried out, and it is not`);
  }
  if (told !== null && told !== state) found.push(`${id} is ${state}, its caller was told ${told}`);
  if (insurerId === null) return found;
  const owner = owners.get(insurerId);
  if (owner !== undefined) found.push(`${insurerId} belongs to ${owner} and to ${id}`);
  owners.set(insurerId, id);
  if (isAlone && item !== null && item.applicationId !== insurerId)
    found.push(`${id} has ${insurerId}, and created ${item.applicationId}`);
  const { plateNumber } = insurer.vehicleOf(insurerId);
  if (!plateNumber.endsWith(`100${plan.vehicle}`)) found.push(`${id} has another vehicle's item`);
  return found;
}

/** Returns a store that assigns the insurer's bulk items to earlier submissions, without records for them. */
export function knowingBulk(store: SubmissionStore, insurer: ModelInsurer): SubmissionStore {
  return {
    ...store,
    async similarSubmissions(submission, insurerIds) {
      const { known, ...rest } = await store.similarSubmissions(submission, insurerIds);
      const bulk = insurerIds
        .filter((insurerId) => insurer.isBulk(insurerId))
        .map((insurerId) => ({
          insurerId,
          segment: submission.segment,
          account: submission.account,
          hasSameMatchFields: false,
          from: 0,
          until: Number.MAX_SAFE_INTEGER,
        }));
      return { ...rest, known: [...known, ...bulk] };
    },
  };
}
