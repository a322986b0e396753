import type { EndpointKind } from "@insurance-gateway/core/runtime";
import type { Tag } from "./open-api.ts";

/** The tag of each kind, by which a document groups its operations; in the order of the groups. */
export const tagsByKind: Readonly<Record<EndpointKind, Tag>> = {
  lookup: {
    name: "Lookups",
    description:
      "Read-only reference data, the same for everyone. The gateway may retry. It may return a cached answer for as long as the lookup is declared to be fresh, and a stale response while the insurer fails; `Age` is the age of the answer.",
  },
  quote: {
    name: "Quotes",
    description: "Calculations. The insurer stores nothing, so a retry is safe.",
  },
  submission: {
    name: "Submissions",
    description:
      "Calls that create or change something at the insurer. The gateway sends each one only once. Send an `Idempotency-Key`: the same key always gets the answer of the first call.",
  },
  search: {
    name: "Searches",
    description: "Paged lists, newest first. `start` is the 1-based position of the first item.",
  },
  document: {
    name: "Documents",
    description: "Files, streamed as the insurer sends them.",
  },
  read: {
    name: "Reads",
    description: "Private data of one customer or application. A retry is safe.",
  },
};

/** The kinds of endpoints in the order in which pages and documents list the kinds. */
export const kindsInOrder = Object.keys(tagsByKind) as readonly EndpointKind[];

/** The tag of the gateway's own operations. */
const ownTag: Tag = {
  name: "State",
  description: "The gateway's own state. It calls no insurer for the answer; a retry is safe.",
};

/**
 * Returns the tag of an operation.
 * @param provider - the id of the provider, or "" for the gateway itself
 */
export function tagOf(provider: string, kind: EndpointKind): Tag {
  return provider === "" ? ownTag : tagsByKind[kind];
}
