import type { Endpoint, FailureRow, Provider } from "@insurance-gateway/core/contract";
import {
  type Advice,
  type ProblemCode,
  problemCodes,
  rareMeanings,
} from "@insurance-gateway/core/problems";
import {
  answerTypes,
  bodyFormatOf,
  bodyOf,
  createsAtInsurer,
  declaredFailures,
  failureCodes,
  hasFiles,
  kindPolicies,
  sameContentOf,
} from "@insurance-gateway/core/runtime";
import type { CodeMeaning, OutcomesByCode } from "../document/open-api.ts";
import type { DocumentSource } from "../document/provider-document.ts";

/** Facts about the insurer's interface that determine the possible problems of an endpoint. */
export interface InsurerFacts {
  /** Returns the rules (rows of `failures`) that interpret the insurer's errors at an endpoint. */
  readonly failuresOf: (endpoint: Endpoint) => readonly FailureRow[];
  /** True if an adapter translates requests, so that the insurer's format may not be able to express a value. */
  readonly translates: boolean;
}

/** A function that returns the possible problems of an endpoint by the endpoint's name. */
export type ProblemsOf = (operationId: string) => OutcomesByCode;

/** Creates the function that returns the possible problems of a provider's endpoints. */
export function problemsOf({ endpoints }: Provider, insurer: InsurerFacts): ProblemsOf {
  return (operationId) => {
    const endpoint = endpoints[operationId];
    return endpoint === undefined ? {} : possibleProblems(endpoint, insurer);
  };
}

/**
 * Creates the function that returns the possible problems of a package's endpoints if the gateway uses the package's
 * own adapter.
 */
export function packagedProblems({
  adapterFailures = [],
  provider,
}: Pick<DocumentSource, "adapterFailures" | "provider">): ProblemsOf {
  const translates = adapterFailures.length > 0;
  const rows = [...(provider.failures ?? []), ...(translates ? adapterFailures : declaredFailures)];
  const failuresOf: InsurerFacts["failuresOf"] = ({ failures = [] }) => [...failures, ...rows];
  return problemsOf(provider, { failuresOf, translates });
}

/** Returns every possible problem code of an endpoint with the code's meanings, the usual meaning first. */
function possibleProblems(endpoint: Endpoint, insurer: InsurerFacts): OutcomesByCode {
  const facts = problemConditionsOf(endpoint, insurer);
  const found = allCodes.map((code) => {
    const rare = rareMeanings.filter(({ codes }) => codes.includes(code));
    const meanings = [{ ...problemCodes[code], when: undefined }, ...rare]
      .filter(({ call }) => call === "any" || (call === "submission") === facts.acts)
      .filter((meaning) => canMean(code, meaning, facts))
      .map(
        ({ outcome, retry, when }): CodeMeaning =>
          when === undefined ? { outcome, retry } : { outcome, retry, when },
      );
    return [code, meanings] as const;
  });
  return Object.fromEntries(found.filter(([, meanings]) => meanings.length > 0));
}

// `Object.keys` returns strings. The keys of `problemCodes` are exactly the problem codes.
const allCodes = Object.keys(problemCodes) as readonly ProblemCode[];

/** The facts of an endpoint that determine the possible meanings of its problems. */
interface ProblemConditions extends Pick<InsurerFacts, "translates"> {
  readonly acts: boolean;
  readonly bodyFormats: readonly string[];
  readonly hasFiles: boolean;
  readonly hasInput: boolean;
  readonly answerTypes: number;
  /** True if an equal request can be the same submission. */
  readonly comparesContent: boolean;
  /** True if the insurer gives each submission a separate identifier. */
  readonly creates: boolean;
  readonly canBeNotReady: boolean;
  readonly failures: readonly FailureRow[];
}

function problemConditionsOf(
  endpoint: Endpoint,
  { failuresOf, translates }: InsurerFacts,
): ProblemConditions {
  const types = Object.keys(bodyOf(endpoint)?.media ?? {});
  const { actsAtInsurer } = kindPolicies[endpoint.kind];
  const inputs = [endpoint.params, endpoint.query, endpoint.headers, endpoint.body];
  return {
    translates,
    acts: actsAtInsurer,
    bodyFormats: types.map(bodyFormatOf),
    hasFiles: types.some((type) => hasFiles(bodyFormatOf(type))),
    hasInput: inputs.some((input) => input !== undefined),
    answerTypes: answerTypes(endpoint).length,
    comparesContent: actsAtInsurer && sameContentOf(endpoint) !== "none",
    creates: createsAtInsurer(endpoint),
    // An adapter can also find out from the content of an answer that a document is not ready.
    canBeNotReady: endpoint.notReady !== undefined || (endpoint.kind === "document" && translates),
    failures: failuresOf(endpoint),
  };
}

type ConditionRule = (
  facts: ProblemConditions,
  meaning: Advice & { readonly code: ProblemCode },
) => boolean;

const never: ConditionRule = () => false;
const withBody: ConditionRule = ({ bodyFormats }) => bodyFormats.length > 0;
const onlySubmission: ConditionRule = ({ acts }) => acts;

/** Reports whether a row of `failures` has this code and outcome. */
const hasFailureRow: ConditionRule = ({ acts, failures }, { code, outcome }) =>
  failures.some(
    (row) => row.code === code && row.outcome === outcome && !(acts && outcome === "unknown"),
  );

/**
 * The conditions for the meanings of codes. Codes without a condition depend only on whether the call is a submission.
 */
const rules: Partial<Readonly<Record<ProblemCode, ConditionRule>>> = {
  ...Object.fromEntries(failureCodes.map((code) => [code, hasFailureRow])),
  MALFORMED_JSON: ({ bodyFormats }) => bodyFormats.includes("json"),
  PAYLOAD_TOO_LARGE: withBody,
  UNSUPPORTED_MEDIA_TYPE: withBody,
  // The path of a declared endpoint is always found.
  NOT_FOUND: never,
  METHOD_NOT_ALLOWED: never,
  SUBMISSION_NOT_FOUND: never,
  NOT_ACCEPTABLE: (facts, { outcome }) => outcome !== "rejected" || facts.answerTypes > 1,
  IDEMPOTENCY_KEY_REUSED: onlySubmission,
  SUBMISSION_IN_PROGRESS: ({ comparesContent }, { retry }) =>
    retry !== "after_check" || comparesContent,
  STORE_UNAVAILABLE: ({ acts, hasFiles: receivesFiles }) => acts || receivesFiles,
  INTERNAL_ERROR: ({ comparesContent }, { retry }) => retry !== "after_check" || comparesContent,
  DOCUMENT_NOT_READY: (facts, meaning) => facts.canBeNotReady || hasFailureRow(facts, meaning),
  // An operator or a query can prove that the insurer did not accept a submission.
  PROVIDER_REJECTED: (facts, meaning) => facts.acts || hasFailureRow(facts, meaning),
  DUPLICATE_APPLICATION: (facts, meaning) =>
    meaning.outcome === "not_sent"
      ? facts.comparesContent
      : facts.creates || hasFailureRow(facts, meaning),
  INVALID_INPUT: (facts, meaning) =>
    meaning.outcome === "not_sent"
      ? facts.translates && facts.hasInput
      : hasFailureRow(facts, meaning),
  PROVIDER_UNAVAILABLE: (facts, meaning) =>
    meaning.outcome === "not_sent" || hasFailureRow(facts, meaning),
  PROVIDER_AUTH_FAILED: (facts, meaning) =>
    meaning.outcome === "not_sent" || !facts.acts || hasFailureRow(facts, meaning),
};

function canMean(code: ProblemCode, { outcome, retry }: Advice, facts: ProblemConditions): boolean {
  return rules[code]?.(facts, { code, outcome, retry }) ?? true;
}
