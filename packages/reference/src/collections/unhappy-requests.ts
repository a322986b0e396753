import { type ProblemCode, problemCodes } from "@insurance-gateway/core/problems";
import { isJson } from "@insurance-gateway/core/runtime";
import type { OpenApiDocument } from "../document/open-api.ts";
import { operationsOf } from "../document/provider-document.ts";
import type { ScenarioOnPage } from "../site/source.ts";
import { exampleNames, firstMedia, type PlacedOperation } from "../snippets/sample-request.ts";
import {
  type CollectionRequest,
  collectionVariables,
  requestOf,
  stableId,
} from "./collection-request.ts";

const FOLDER = "When it goes wrong";

/**
 * Writes requests that fail on purpose: a request that the gateway refuses, a request that the insurer rejects, and a
 * submission whose answer is lost, with a query for the submission's state and a repetition with the same key.
 * @param scenarios - the scenarios of the provider's simulated insurer; empty for a real insurer
 */
export function unhappyRequests(
  document: OpenApiDocument,
  scenarios: readonly ScenarioOnPage[],
): readonly CollectionRequest[] {
  const operations = operationsOf(document);
  const submission = operations.find(({ operation }) => isJsonSubmission(operation));
  const refused = scenarios.find(
    ({ problem }) => problem?.outcome === "rejected" && problemCodes[problem.code].status < 500,
  );
  const lost = scenarios.find(
    ({ endpoint, problem }) =>
      problem?.code === "OUTCOME_UNKNOWN" && endpoint === submission?.operation.operationId,
  );
  const base = (placed: PlacedOperation): CollectionRequest =>
    requestOf(placed, exampleNames(placed.operation)[0] ?? "", 1, document);
  const refusedAt = operations.find(({ operation }) => operation.operationId === refused?.endpoint);
  const [first = submission] = operations;
  return [
    ...(first === undefined ? [] : [refusedInput(base(submission ?? first))]),
    ...(refused === undefined || refusedAt === undefined
      ? []
      : [refusedByInsurer(base(refusedAt), refused)]),
    ...(submission === undefined ? [] : replay(base(submission))),
    ...(submission === undefined || lost === undefined ? [] : lostAnswer(base(submission), lost)),
  ];
}

function isJsonSubmission({
  requestBody,
  "x-acts-at-insurer": acts,
}: PlacedOperation["operation"]): boolean {
  const media = firstMedia(requestBody);
  return acts && media !== undefined && isJson(media.mediaType);
}

/** Returns a changed copy of a request for the folder of failing requests. */
function variant(
  request: CollectionRequest,
  name: string,
  description: string,
  changes: Partial<CollectionRequest>,
): CollectionRequest {
  const id = stableId(`${request.id} ${name}`);
  return { ...request, folder: FOLDER, name, description, id, ...changes };
}

function expectedProblem(
  code: ProblemCode,
  ...others: readonly number[]
): CollectionRequest["expected"] {
  return {
    statuses: [problemCodes[code].status, ...others],
    mediaType: others.length === 0 ? "application/problem+json" : "json",
    fields: [],
    code: others.length === 0 ? code : null,
    isReplay: false,
    body: null,
  };
}

function refusedInput(request: CollectionRequest): CollectionRequest {
  // An insurer might carry out `{}` if all fields are optional, so the request has an unknown parameter instead.
  const query = [...request.query, ["unknown", "1"] as const];
  const body = request.body === null || !request.isJson ? request.body : "{}";
  return variant(
    request,
    "The gateway refuses the input",
    "The problem lists every fault with the JSON Pointer of its field. Nothing was sent to the insurer.",
    { query, body, keepsId: false, expected: expectedProblem("VALIDATION_FAILED") },
  );
}

function refusedByInsurer(
  request: CollectionRequest,
  { effect, name, problem: answered }: ScenarioOnPage,
): CollectionRequest {
  return variant(
    request,
    "The insurer refuses the request",
    `The scenario ${name} of the sandbox: ${effect}.`,
    {
      headers: [...request.headers, ["X-Sandbox-Scenario", name]],
      keepsId: false,
      expected: expectedProblem(answered?.code ?? "PROVIDER_REJECTED"),
    },
  );
}

function replay(request: CollectionRequest): readonly CollectionRequest[] {
  return [
    variant(
      request,
      "Submit with a key",
      "Creates a key and submits. The next request sends the same key again.",
      {},
    ),
    variant(
      request,
      "Submit again with the same key",
      "The gateway sends nothing: it returns the stored answer, with `Idempotency-Replayed: true`.",
      { makesKey: false, expected: { ...request.expected, isReplay: true } },
    ),
  ];
}

/**
 * The statuses in a second run of the collection. The gateway finds the first run's submission, which has the same
 * content.
 */
const REPEATED_RUN_STATUSES = {
  running: problemCodes.SUBMISSION_IN_PROGRESS.status,
  unknown: problemCodes.OUTCOME_UNKNOWN.status,
} as const;

function lostAnswer(
  request: CollectionRequest,
  { effect, name }: ScenarioOnPage,
): readonly CollectionRequest[] {
  const succeeded = request.expected.statuses;
  const lost: CollectionRequest = {
    ...request,
    headers: [...request.headers, ["X-Sandbox-Scenario", name], ["Prefer", "wait=1"]],
  };
  return [
    variant(
      lost,
      "The answer is lost",
      `The scenario ${name} of the sandbox: ${effect}. \`Prefer: wait=1\` shortens the wait to a second. The 504 has the address of the submission's state in \`Location\` and in \`reconciliation.href\`. A second run gets 409 while the gateway finds out, and then ${succeeded.join(" or ")}.`,
      { expected: expectedProblem("OUTCOME_UNKNOWN", REPEATED_RUN_STATUSES.running, ...succeeded) },
    ),
    variant(
      request,
      "Ask what happened to it",
      "Reads the state of the submission whose answer was lost. No insurer is called.",
      {
        method: "GET",
        path: `/submissions/{{${collectionVariables.id}}}`,
        query: [],
        headers: [],
        body: null,
        isJson: true,
        makesKey: false,
        keepsId: false,
        expected: {
          statuses: [200],
          mediaType: "application/json",
          fields: ["submissionId", "state", "askAgainAt", "answer"],
          code: null,
          isReplay: false,
          body: null,
        },
      },
    ),
    variant(
      lost,
      "Send it again with the same key",
      "Never a second application: 409 while it is running, 504 while its outcome is unknown, and its answer once the gateway has found it out.",
      {
        makesKey: false,
        expected: expectedProblem(
          "SUBMISSION_IN_PROGRESS",
          REPEATED_RUN_STATUSES.unknown,
          ...succeeded,
        ),
      },
    ),
  ];
}
