import type { Endpoint, MatchField } from "@insurance-gateway/core/contract";
import type { NormalisedPlace, OutcomeRules } from "./open-api.ts";

/** Returns an endpoint's outcome rules as JSON; undefined if the endpoint declares no rules. */
export function outcomeRulesOf(endpoint: Endpoint): OutcomeRules | undefined {
  const { closedWhen, creates, failures, idempotency, insurerId, keyAt } = endpoint;
  const { reconcile, same, sameContent, settleAfterMs } = endpoint;
  const rules = {
    idempotency,
    reconcile,
    same: same?.map(placeOf),
    settleAfterMs,
    insurerId,
    creates,
    sameContent,
    closedWhen,
    keyAt,
    failures,
  };
  const declared = Object.entries(rules).filter(([, rule]) => rule !== undefined);
  return declared.length === 0 ? undefined : Object.fromEntries(declared);
}

function placeOf(field: MatchField): string | NormalisedPlace {
  if (typeof field === "string") return field;
  const { at, normaliser } = field;
  const forms = normaliser.examples.flat().map((text) => [text, normaliser.normalise(text)]);
  return { at, normaliser: normaliser.name, forms: Object.fromEntries(forms) };
}
