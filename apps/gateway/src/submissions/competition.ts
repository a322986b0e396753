import type { IdentifierScope } from "@insurance-gateway/core/contract";
import type { Days } from "../accounts/usage/days.ts";
import { insurerIdOf } from "../insurers/answers/binding.ts";
import type { ProviderRoute } from "../routing/route.ts";
import { isOfSameAccount } from "../store/claim.ts";
import type { Competitors, CreationTimes, Sender, SubmissionRecord } from "../store/record.ts";
import type { SubmissionStore } from "../store/store.ts";
import { canBeOf, creationInstants } from "./creation-times.ts";
import type { MatchFields } from "./match.ts";
import type { Owner, VerdictFacts } from "./verdict.ts";

/** What is known beside the items that were found. */
export async function factsOf(
  {
    days,
    store,
  }: {
    readonly days: Pick<Days, "offsetAt">;
    readonly store: Pick<SubmissionStore, "competitors">;
  },
  record: SubmissionRecord,
  { endpoint, unique }: Pick<ProviderRoute, "endpoint" | "unique">,
  matchFields: MatchFields,
  items: readonly unknown[],
): Promise<Omit<VerdictFacts, "complete" | "settled">> {
  const insurerIds = items
    .map((item) => insurerIdOf(endpoint, item))
    .filter((insurerId) => insurerId !== null);
  // After the items: what is claimed from now on cannot be among them.
  const { known, ...alike } = await store.competitors(record, insurerIds);
  const owners = known.flatMap((owner): readonly Owner[] => {
    const item = items.find((one) => insurerIdOf(endpoint, one) === owner.insurerId);
    const instants = creationInstants(endpoint, item, days);
    const claim = claimOf(record, unique, owner, instants);
    return claim === null ? [] : [{ insurerId: owner.insurerId, claim }];
  });
  const { answeredId, receivedAt, unknownAt } = record;
  return {
    matchFields,
    days,
    times: { from: receivedAt, until: unknownAt ?? receivedAt },
    ...alike,
    // The insurer has answered with it: that it is another's is what its answer contradicts.
    owners: owners.map((owner) =>
      owner.insurerId === answeredId ? { ...owner, claim: "contradicted" } : owner,
    ),
  };
}

/** What another submission's identifier means for an item with the same one; null where it means nothing. */
function claimOf(
  record: Sender,
  unique: IdentifierScope,
  owner: Competitors["known"][number],
  instants: readonly number[],
): Owner["claim"] | null {
  const isOfOwners = instants.length === 0 || canBeOf(instants, owner, 0);
  if (!isOfSameAccount(record, owner)) {
    if (unique === "account") return owner.alike && isOfOwners ? "possible" : null;
    // Other addresses may be other insurers, and an item that is newer than its owner has a number of its own.
    if (owner.segment !== record.segment || isNewerThan(instants, owner)) return "possible";
  }
  return owner.alike ? "certain" : "contradicted";
}

/** Whether an item was created after the submission had ended that has its identifier. */
function isNewerThan(instants: readonly number[], owner: CreationTimes): boolean {
  return instants.length > 0 && !canBeOf(instants, { ...owner, from: Number.NEGATIVE_INFINITY }, 0);
}
