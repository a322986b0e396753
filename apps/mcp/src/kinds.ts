import {
  type EndpointKind,
  kindPolicies,
  type Paging,
  pagingInWords,
} from "@insurance-gateway/core/contract";
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import type { ConfirmedBy } from "./arguments.ts";

/** What a kind of endpoint means for the insurer, in words for a model. */
export const kindMeanings: Readonly<Record<EndpointKind, string>> = {
  lookup:
    "Reads reference data, which is the same for every customer. Nothing changes at the insurer.",
  read: "Reads data of one customer or contract. Nothing changes at the insurer.",
  search:
    "Finds data of a customer, newest first, one page a call: `query.start` is the 1-based position of the page's first item, `query.limit` how many items it has at most. Nothing changes at the insurer.",
  document:
    "Downloads a PDF, which is embedded in the answer up to 5 MB. Nothing changes at the insurer.",
  quote: "Calculates, and stores nothing. Nothing changes at the insurer.",
  submission:
    "CREATES OR CHANGES something at the insurer, such as an application for insurance. Make an `idempotencyKey` once and keep it for every retry: the same key never sends twice, a new key is a new submission.",
};

/** What a search means that is paged in another way than by `start` and `limit`. */
export function pagedMeaning(paging: Paging): string {
  const argument = (name: string): string =>
    `\`${name.startsWith("/") ? `body${name.replaceAll("/", ".")}` : `query.${name}`}\``;
  return `Finds data of a customer, newest first, one page a call: ${pagingInWords(paging, argument)} Nothing changes at the insurer.`;
}

/** How a submission is confirmed, in words for a model. */
export const confirmationMeanings: Readonly<Record<ConfirmedBy, string>> = {
  person: "This server asks the person before anything is sent, and shows every value.",
  code: "The first call sends nothing and answers with a code; a second call with that code sends. This server cannot see whether a person agreed: show them what would be sent before the second call.",
  nobody:
    "This server sends nothing in this session: the MCP client cannot ask its person (it has no elicitation).",
};

/** The hints of a kind for an MCP client; every kind asks an insurer, who is outside. */
export function annotationsOf(kind: EndpointKind): ToolAnnotations {
  const acts = kindPolicies[kind].actsAtInsurer;
  return {
    readOnlyHint: !acts,
    destructiveHint: acts,
    // A submission has a key, with which it is sent once.
    idempotentHint: true,
    openWorldHint: true,
  };
}
