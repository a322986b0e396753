import { randomBytes, randomInt } from "node:crypto";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { NewSubmission } from "../../src/store/record.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { LEASE_UNTIL, ONCE, sampleSubmission } from "./store-samples.ts";

/** The number of refused submissions in a row after which the disk counts as full. */
const REFUSED_IN_A_ROW = 200;

/**
 * Fills a store with submissions, until none of many more has space, whichever pages its digests would go to.
 * @param make - makes them (default: small ones, without a lease that ends soon)
 * @returns the ids of the stored ones
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
    // Like what comes after them, none goes to the end of its index.
    keyDigest: randomBytes(16),
    leaseUntil: LEASE_UNTIL + randomInt(1_000_000_000),
  });
}
