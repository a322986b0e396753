import type { EndpointKind } from "@insurance-gateway/core/contract";
import type { Tag } from "./open-api.ts";

/** What the groups of a document are called, in the order they stand in. */
export const tagsByKind: Readonly<Record<EndpointKind, Tag>> = {
  lookup: {
    name: "Lookups",
    description:
      "Read-only reference data, the same for everybody. The gateway may ask the insurer again by itself. It may answer from memory, for as long as the lookup is declared to be fresh, and while the insurer fails; `Age` says how old the answer is.",
  },
  quote: {
    name: "Quotes",
    description: "Calculations. Nothing is stored at the insurer, so asking again is safe.",
  },
  submission: {
    name: "Submissions",
    description:
      "Calls that create or change something at the insurer. They are sent once and never again: send an `Idempotency-Key`, and the same key always gets the answer of the first call.",
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
    description: "Private data of one customer or application. Asking again is safe.",
  },
};

/** The kinds in the order in which they are listed. */
export const kindsInOrder: readonly EndpointKind[] = [
  "lookup",
  "quote",
  "submission",
  "search",
  "document",
  "read",
];
