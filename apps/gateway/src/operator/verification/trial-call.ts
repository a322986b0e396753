import {
  type CheckedInput,
  type Endpoint,
  inputChecker,
  kindPolicies,
  parameterForms,
} from "@insurance-gateway/core/contract";
import type { InstalledProvider } from "../../configuration/providers.ts";
import { readReference, referenceOf } from "../../reference/endpoint-reference.ts";

/** A call that changes nothing and costs an insurer little. */
export interface TrialCall {
  /** The endpoint's name in its provider. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly input: CheckedInput;
}

/** The cheapest first; a submission is never tried. */
const kinds: readonly Endpoint["kind"][] = ["lookup", "read", "search", "quote", "document"];

/**
 * Finds the cheapest call of a provider that changes nothing: one that needs no input before one that is made with the
 * example of the provider's published document.
 * @returns null where every endpoint acts at the insurer, or needs input of which there is no example
 */
export function findTrialCall(
  installed: Pick<InstalledProvider, "folder" | "provider">,
): TrialCall | null {
  const document = readReference(installed);
  const candidates = Object.entries(installed.provider.endpoints)
    .filter(([, { kind }]) => !kindPolicies[kind].actsAtInsurer)
    .toSorted(([, one], [, other]) => costOf(one) - costOf(other));
  for (const [name, endpoint] of candidates) {
    const input = exampleInput(document, endpoint);
    if (input !== null) return { name, endpoint, input };
  }
  return null;
}

function costOf(endpoint: Endpoint): number {
  const { body, kind, params, query } = endpoint;
  const needsInput = params !== undefined || query !== undefined || body !== undefined;
  // A document may be large.
  if (kind === "document") return 2 * kinds.length;
  return kinds.indexOf(kind) + (needsInput ? kinds.length : 0);
}

/** The input of the endpoint's first example; null where there is none, or it is not complete. */
function exampleInput(document: unknown, endpoint: Endpoint): CheckedInput | null {
  const reference = referenceOf(document, endpoint);
  const texts = (
    place: "path" | "query" | "header",
    declared: Endpoint["query"],
  ): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.keys(declared === undefined ? {} : parameterForms(declared)).flatMap((name) => {
        const value = reference.exampleOf({ place, keys: [name] });
        return value === undefined ? [] : [[name, String(value)]];
      }),
    );
  const checked = inputChecker(endpoint)({
    params: texts("path", endpoint.params),
    search: new URLSearchParams({ ...texts("query", endpoint.query) }).toString(),
    headers: texts("header", endpoint.headers),
    body: reference.exampleOf({ place: "body", keys: [] }),
  });
  return checked.valid ? checked.value : null;
}
