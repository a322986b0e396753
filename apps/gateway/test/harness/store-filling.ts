import { randomBytes, randomInt } from "node:crypto";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { NewSubmission } from "../../src/store/record.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { LEASE_UNTIL, ONCE, sampleSubmission } from "./store-samples.ts";

/** Number of consecutive refused submissions after which the disk counts as full. */
const REFUSED_IN_A_ROW = 200;

/**
 * Fills a store with submissions until the store refuses many submissions in a row for lack of space.
 * @param make - creates a submission. Default: a small submission with a long lease
 * @returns the ids of the stored submissions
 */
export async function fillUp(
  store: SubmissionStore,
  make: () => NewSubmission = smallSubmission,
): Promise<readonly string[]> {
  const kept: string[] = [];
  for (;;) {
    const submissions = Array.from({ length: REFUSED_IN_A_ROW }, make);
    const claims = await Promise.allSettled(submissions.map((one) => store.claim(one, ONCE)));
    const more = submissions.filter((_, index) => isKept(claims[index]));
    if (more.length === 0) return kept;
    kept.push(...more.map(({ id }) => id));
  }
}

function isKept(claim: PromiseSettledResult<unknown> | undefined): boolean {
  if (claim?.status !== "rejected") return true;
  const reason: unknown = claim.reason;
  if (reason instanceof StoreUnavailableError && reason.detail === "SQLITE_FULL") return false;
  throw reason;
}

function smallSubmission(): NewSubmission {
  return sampleSubmission({
    matchFields: null,
    provider: "p",
    segment: "s",
    endpoint: "e",
    // Random digests fill all parts of the index, as the digests of later submissions do.
    keyDigest: randomBytes(16),
    leaseUntil: LEASE_UNTIL + randomInt(1_000_000_000),
  });
}
