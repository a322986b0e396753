import { jsonBodyOf } from "./body.ts";
import type {
  Endpoint,
  Idempotency,
  OutcomeDeclaration,
  ReconcileDeclaration,
  SameContent,
} from "./endpoint.ts";
import { headerNameFault } from "./endpoint-faults.ts";
import { actsAtInsurer } from "./kinds.ts";
import { createsAtInsurer, identifierOf, matchPointer } from "./match.ts";
import { isInBody } from "./paging.ts";
import { pathParameters } from "./path.ts";
import { isPointer } from "./pointer.ts";

const idempotencies: readonly (Idempotency | undefined)[] = [
  "native",
  "reconcile",
  "none",
  undefined,
];

const sameContents: readonly SameContent[] = ["once", "open", "none"];

/** The properties that only a submission may declare. */
const submissionParts: readonly (keyof OutcomeDeclaration)[] = [
  "idempotency",
  "reconcile",
  "same",
  "insurerId",
  "settleAfterMs",
  "creates",
  "sameContent",
  "closedWhen",
  "keyAt",
];

/**
 * Finds faults in the declaration of a submission's reconciliation. Without this check, the faults would appear only
 * after an unknown outcome.
 */
export function outcomeFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  const { idempotency, reconcile, insurerId, settleAfterMs } = endpoint;
  const faults: string[] = [];
  const declared = submissionParts.filter((part) => endpoint[part] !== undefined);
  if (declared.length > 0 && !actsAtInsurer(endpoint))
    faults.push(`only a submission has ${declared.map((part) => `\`${part}\``).join(", ")}`);
  if (!idempotencies.includes(idempotency))
    faults.push('`idempotency` must be "native", "reconcile" or "none"');
  if (idempotency === "reconcile" && reconcile === undefined)
    faults.push('`idempotency: "reconcile"` needs a `reconcile`');
  if (reconcile !== undefined && idempotency !== "reconcile" && idempotency !== "native")
    faults.push('a `reconcile` needs `idempotency: "reconcile"` or `"native"`');
  if (reconcile !== undefined && (settleAfterMs === undefined || insurerId === undefined))
    faults.push("a `reconcile` needs `settleAfterMs` and `insurerId`");
  if (settleAfterMs !== undefined && !(Number.isSafeInteger(settleAfterMs) && settleAfterMs > 0))
    faults.push("`settleAfterMs` must be a whole number of milliseconds, more than 0");
  faults.push(
    ...identifierFaults(endpoint),
    ...creationFaults(endpoint),
    ...contentFaults(endpoint),
    ...keyFaults(endpoint),
  );
  return [
    ...faults,
    ...reconcileFaults(endpoint, siblings),
    ...sharedSearchFaults(endpoint, siblings),
  ];
}

/** Finds faults in `insurerId`: a misspelled scope would compare the identifiers of the wrong submissions. */
function identifierFaults(endpoint: Endpoint): readonly string[] {
  const declared = identifierOf(endpoint);
  if (declared === undefined) return [];
  const { at, of, unique = "provider", ...unknown } = declared;
  const isScope = unique === "provider" || unique === "account";
  return [
    ...(isPointer(at) ? [] : [`\`insurerId\` ${at} must be a JSON Pointer`]),
    ...(isScope ? [] : ['`insurerId.unique` must be "provider" or "account"']),
    ...(of === undefined || /^[A-Za-z][\w-]{0,63}$/.test(of)
      ? []
      : ["`insurerId.of` must be a name such as application"]),
    ...Object.keys(unknown).map((name) => `\`insurerId\` has no member \`${name}\``),
  ];
}

/**
 * Finds two endpoints with the same reconciliation search but different match fields, search parameters or number
 * series. One item could match submissions of both endpoints.
 */
function sharedSearchFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  const search = endpoint.reconcile?.endpoint ?? "";
  if (siblings[search]?.kind !== "search") return [];
  const fields = comparedFields(endpoint);
  return Object.entries(siblings)
    .filter(([, other]) => other.reconcile?.endpoint === search && comparedFields(other) !== fields)
    .map(
      ([name]) =>
        `its reconciliation ${search} is also that of ${name}: both need the same match fields (\`same\`), the same parameters and the same \`insurerId.of\``,
    );
}

/** Returns the match fields, search parameters and number series of an endpoint as one text, for comparison. */
function comparedFields(endpoint: Endpoint): string {
  const { reconcile, same = [] } = endpoint;
  const parameters = Object.entries(reconcile?.parameters ?? {});
  return JSON.stringify([
    identifierOf(endpoint)?.of ?? null,
    same.map(matchPointer).toSorted(),
    parameters.map(([name, { from }]) => `${name} ${from}`).toSorted(),
  ]);
}

/**
 * Finds a reconciliation of an endpoint that creates nothing. Another call may have changed an item before or after
 * this submission, so a list does not prove whether this submission was carried out.
 */
function creationFaults(endpoint: Endpoint): readonly string[] {
  const { creates, insurerId, path, reconcile, same = [] } = endpoint;
  const noPointers = same.map(matchPointer).filter((place) => !isPointer(place));
  return [
    ...noPointers.map(
      (place) => `\`same\` has ${JSON.stringify(place)}, which must be a JSON Pointer`,
    ),
    ...(reconcile === undefined || insurerId === undefined || createsAtInsurer(endpoint)
      ? []
      : [
          "only an endpoint with `creates: true` may have `reconcile`: a list does not prove which call changed an item",
        ]),
    ...(reconcile !== undefined && creates === undefined && pathParameters(path).length > 0
      ? [
          "`reconcile` needs `creates: true` if the path has parameters: the call may change the item that they name",
        ]
      : []),
  ];
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

/** Finds faults in `keyAt`, the place of the gateway's reference in a request. */
function keyFaults(endpoint: Endpoint): readonly string[] {
  const { keyAt } = endpoint;
  if (keyAt === undefined) return [];
  const places = Object.entries(keyAt);
  const [[place, name] = ["", ""]] = places;
  if (places.length !== 1 || typeof name !== "string")
    return ["`keyAt` must have exactly one of `header`, `query` and `body`"];
  switch (place) {
    case "header": {
      const fault = name === "idempotency-key" ? null : headerNameFault(name);
      return fault === null ? [] : [`\`keyAt\`: ${name} ${fault}`];
    }
    case "query":
      return name === "" ? ["`keyAt` needs the name of a parameter"] : [];
    case "body":
      return isPointer(name) && jsonBodyOf(endpoint) !== undefined
        ? []
        : ["`keyAt` needs a JSON Pointer into a JSON body"];
    default:
      return ["`keyAt` must have exactly one of `header`, `query` and `body`"];
  }
}

function reconcileFaults(
  { reconcile, same = [] }: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  if (reconcile === undefined) return [];
  // A declaration of another contract version may lack some properties.
  const given: Partial<ReconcileDeclaration> = reconcile;
  const { createdAt = "", endpoint, parameters = {} } = given;
  const search = siblings[endpoint ?? ""];
  const places = [createdAt, ...Object.values(parameters).map(({ from }) => from)];
  const names = Object.keys(parameters);
  const missing = pathParameters(search?.path ?? "").filter((name) => !names.includes(name));
  return [
    ...(search?.kind === "search"
      ? []
      : [`its reconciliation ${endpoint} must be a search of the same provider`]),
    ...missing.map(
      (name) =>
        `its reconciliation ${endpoint} has {${name}} in its path, and \`parameters\` has no value for it`,
    ),
    ...names
      .filter((name) => isInBody(name) && !isPointer(name))
      .map(
        (name) =>
          `its reconciliation ${endpoint} has the parameter ${name}, which must be a JSON Pointer`,
      ),
    ...(Object.keys(parameters).length > 0 && same.length > 0
      ? []
      : ["`reconcile` needs `parameters` for the search, and `same` for the comparison"]),
    ...places
      .filter((place) => !isPointer(place))
      .map(
        (place) => `its reconciliation has ${JSON.stringify(place)}, which must be a JSON Pointer`,
      ),
  ];
}
