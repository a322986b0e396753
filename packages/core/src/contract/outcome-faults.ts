import type {
  Endpoint,
  Idempotency,
  OutcomeDeclaration,
  ReconcileDeclaration,
  SameContent,
} from "./endpoint.ts";
import { kindPolicies } from "./kinds.ts";
import { matchPointer } from "./match.ts";
import { isPointer } from "./pointer.ts";

const idempotencies: readonly (Idempotency | undefined)[] = [
  "native",
  "reconcile",
  "none",
  undefined,
];

const sameContents: readonly SameContent[] = ["once", "open", "none"];

/** Everything that only a submission declares. */
const submissionParts: readonly (keyof OutcomeDeclaration)[] = [
  "idempotency",
  "reconcile",
  "insurerId",
  "settleAfterMs",
  "creates",
  "sameContent",
  "closedWhen",
];

/** What is wrong with how a submission says that its outcome is found out: half of it would show only when it is needed. */
export function outcomeFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  const { idempotency, kind, reconcile, insurerId, settleAfterMs } = endpoint;
  const faults: string[] = [];
  const declared = submissionParts.filter((part) => endpoint[part] !== undefined);
  if (declared.length > 0 && !kindPolicies[kind].actsAtInsurer)
    faults.push(`only a submission has ${declared.map((part) => `\`${part}\``).join(", ")}`);
  if (!idempotencies.includes(idempotency))
    faults.push('`idempotency` must be "native", "reconcile" or "none"');
  if (idempotency === "reconcile" && reconcile === undefined)
    faults.push('`idempotency: "reconcile"` needs a `reconcile`');
  if (reconcile !== undefined && idempotency !== "reconcile" && idempotency !== "native")
    faults.push('a `reconcile` needs `idempotency: "reconcile"` or `"native"`');
  if (reconcile !== undefined && (settleAfterMs === undefined || insurerId === undefined))
    faults.push("a `reconcile` needs `settleAfterMs` and `insurerId`");
  if (settleAfterMs !== undefined && !(Number.isSafeInteger(settleAfterMs) && settleAfterMs >= 0))
    faults.push("`settleAfterMs` must be a whole number of milliseconds");
  if (insurerId !== undefined && !isPointer(insurerId))
    faults.push(`\`insurerId\` ${insurerId} is no JSON Pointer`);
  faults.push(...contentFaults(endpoint));
  return reconcile === undefined ? faults : [...faults, ...reconcileFaults(reconcile, siblings)];
}

function contentFaults(endpoint: Endpoint): readonly string[] {
  const { closedWhen, creates, insurerId, sameContent } = endpoint;
  const isKnown = sameContent === undefined || sameContents.includes(sameContent);
  const isClosable =
    closedWhen === undefined || (isPointer(closedWhen.at) && closedWhen.is.length > 0);
  return [
    ...(isKnown ? [] : ['`sameContent` must be "once", "open" or "none"']),
    ...(creates === true && insurerId === undefined ? ["`creates` needs `insurerId`"] : []),
    ...(isClosable ? [] : ["`closedWhen` needs a JSON Pointer (`at`) and values (`is`)"]),
  ];
}

function reconcileFaults(
  reconcile: ReconcileDeclaration,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  // A declaration of another version may lack what this one has.
  const given: Partial<ReconcileDeclaration> = reconcile;
  const { createdAt = "", endpoint, parameters = {}, same = [] } = given;
  const search = siblings[endpoint ?? ""];
  const fields = same.map(matchPointer);
  const places = [createdAt, ...fields, ...Object.values(parameters).map(({ from }) => from)];
  return [
    ...(search?.kind === "search"
      ? []
      : [`its reconciliation ${endpoint} must be a search of the same provider`]),
    ...(search?.params === undefined
      ? []
      : [`its reconciliation ${endpoint} must have no parameters in its path`]),
    ...(Object.keys(parameters).length > 0 && same.length > 0
      ? []
      : [
          "its reconciliation must say what is searched for (`parameters`) and what is compared (`same`)",
        ]),
    ...places
      .filter((place) => !isPointer(place))
      .map((place) => `its reconciliation has ${JSON.stringify(place)}, which is no JSON Pointer`),
  ];
}
