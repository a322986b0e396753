import type { Endpoint, Idempotency, OutcomeLookup } from "./endpoint.ts";
import { kindPolicies } from "./kinds.ts";
import { isPointer } from "./pointer.ts";

const idempotencies: readonly (Idempotency | undefined)[] = ["native", "lookup", "none", undefined];

/** What is wrong with how a submission says that its outcome is found out: half of it would show only when it is needed. */
export function outcomeFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  const { idempotency, kind, lookup, reference, settleAfterMs } = endpoint;
  const faults: string[] = [];
  const declares = [idempotency, lookup, reference, settleAfterMs].some(
    (part) => part !== undefined,
  );
  if (declares && !kindPolicies[kind].actsAtInsurer)
    faults.push("only a submission has `idempotency`, `lookup`, `reference` and `settleAfterMs`");
  if (!idempotencies.includes(idempotency))
    faults.push('`idempotency` must be "native", "lookup" or "none"');
  if (idempotency === "lookup" && lookup === undefined)
    faults.push('`idempotency: "lookup"` needs a `lookup`');
  if (lookup !== undefined && idempotency !== "lookup" && idempotency !== "native")
    faults.push('a `lookup` needs `idempotency: "lookup"` or `"native"`');
  if (lookup !== undefined && (settleAfterMs === undefined || reference === undefined))
    faults.push("a `lookup` needs `settleAfterMs` and `reference`");
  if (settleAfterMs !== undefined && !(Number.isSafeInteger(settleAfterMs) && settleAfterMs >= 0))
    faults.push("`settleAfterMs` must be a whole number of milliseconds");
  if (reference !== undefined && !isPointer(reference))
    faults.push(`\`reference\` ${reference} is no JSON Pointer`);
  return lookup === undefined ? faults : [...faults, ...lookupFaults(lookup, siblings)];
}

function lookupFaults(
  lookup: OutcomeLookup,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  // A declaration of another version may lack what this one has.
  const given: Partial<OutcomeLookup> = lookup;
  const { createdAt = "", endpoint, parameters = {}, same = [] } = given;
  const search = siblings[endpoint ?? ""];
  const places = [createdAt, ...same, ...Object.values(parameters).map(({ from }) => from)];
  return [
    ...(search?.kind === "search"
      ? []
      : [`its lookup ${endpoint} must be a search of the same provider`]),
    ...(search?.params === undefined
      ? []
      : [`its lookup ${endpoint} must have no parameters in its path`]),
    ...(Object.keys(parameters).length > 0 && same.length > 0
      ? []
      : ["its lookup must say what is searched for (`parameters`) and what is compared (`same`)"]),
    ...places
      .filter((place) => !isPointer(place))
      .map((place) => `its lookup has ${JSON.stringify(place)}, which is no JSON Pointer`),
  ];
}
