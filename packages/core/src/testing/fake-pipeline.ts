import { actsAtInsurer } from "../contract/kinds.ts";
import type { FoundRoute, PlacedRoute } from "../contract/routes.ts";
import type { Problem } from "../errors/problem.ts";
import { problemOf } from "../rules/problem-body.ts";
import { Refusal } from "../rules/refusal.ts";
import { invalidToken, readKeyLookup, requireNoQuery } from "../rules/request-refusals.ts";
import type { StoredAnswer } from "../rules/stored-answer.ts";
import { idempotencyKeyOf, maySubmit, waitOf } from "../rules/submission-headers.ts";
import { contentNotCompared, keyStateUnknown, noEndpoint } from "../rules/submission-refusals.ts";
import type { StatusAnswer } from "../rules/submission-standing.ts";
import type { TransportRequest } from "../transport/transport.ts";
import { INSURER_TIMEOUT_MS } from "./exchange-end.ts";
import { validateInput } from "./fake-input.ts";
import { findRoute } from "./fake-routes.ts";
import { createFakeSubmissions } from "./fake-submissions.ts";
import { applyTimeLimit, gatewayAnswerOf } from "./insurer-answer.ts";
import { FAKE_ERROR_PAGES_ADDRESS, type FakeRoute } from "./kept-submission.ts";
import type { RunningInsurer } from "./simulated-insurer.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Answer to a request. */
export interface FakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Uint8Array;
  readonly problem: Problem | null;
  readonly isSubmission: boolean;
}

/** Dependencies of a fake gateway's pipeline. */
export interface FakePipelineParts {
  /** The only accepted token. */
  readonly token: string;
  readonly time: Pick<VirtualTime, "now">;
  readonly insurers: readonly RunningInsurer[];
  /** Returns true if the insurer's answer to the next submission is lost. */
  readonly isAnswerLost: () => boolean;
}

/** Answers a request, possibly with a problem. Throws if `waitUntil` throws. */
export type FakePipeline = (
  request: TransportRequest,
  target: { readonly pathname: string; readonly search: string },
  waitUntil: (instant: number) => Promise<void>,
) => Promise<FakeAnswer>;

/** Route of one of the gateway's own endpoints. */
interface OwnRoute {
  readonly answer: (params: FoundRoute<unknown>["params"], asked: OwnRouteRequest) => object;
}

/** Parts of a request to one of the gateway's own endpoints. */
interface OwnRouteRequest {
  readonly search: string;
  readonly key: string | undefined;
}

type AnswerContent = Pick<FakeAnswer, "status" | "headers" | "content">;

/** Creates the pipeline of a fake gateway: the gateway's own steps, with its default settings. */
export function createFakePipeline(parts: FakePipelineParts): FakePipeline {
  const { insurers, isAnswerLost, time, token } = parts;
  const submissions = createFakeSubmissions(time.now);
  const served = insurers.flatMap(routesOf);
  const routes = [...served, ...ownRoutes()];

  function ownRoutes(): readonly PlacedRoute<OwnRoute>[] {
    const at = (): string => new Date(time.now()).toISOString();
    const items = insurers.map(({ provider: { id } }) => ({
      segment: id,
      provider: id,
      state: "up",
      maintenance: [],
    }));
    const get = (path: string, answer: OwnRoute["answer"]): PlacedRoute<OwnRoute> => ({
      method: "GET",
      path,
      route: {
        answer(params, request) {
          if (path !== "/submissions") requireNoQuery(new URLSearchParams(request.search));
          return answer(params, request);
        },
      },
    });
    return [
      get("/providers", () => ({ items, at: at() })),
      get("/providers/{segment}/status", ({ segment }) => {
        const item = items.find((one) => one.segment === segment);
        if (item === undefined)
          throw new Refusal("NOT_FOUND", {
            detail: "No provider has this segment; GET /providers lists them.",
          });
        return { ...item, days: [], at: at() };
      }),
      get("/submissions/{submissionId}", ({ submissionId = "" }) =>
        submissions.status(submissionId),
      ),
      get("/submissions", (_, { key, search }) => {
        const keys = key === undefined ? undefined : [key];
        const asked = readKeyLookup(new URLSearchParams(search), keys);
        const found = served.find(({ route: { endpoint, name, segment } }) => {
          const names = [name, `${endpoint.method} ${endpoint.path}`];
          return (
            segment === asked.segment && actsAtInsurer(endpoint) && names.includes(asked.endpoint)
          );
        });
        if (found === undefined) throw noEndpoint();
        return submissions.statusByKey(found.route, asked.key);
      }),
    ];
  }

  return async (request, { pathname, search }, waitUntil) => {
    const { headers, method } = request;
    const requestId = crypto.randomUUID();
    const key = headers["idempotency-key"];
    const progress: RequestProgress = { found: undefined, isSubmitted: false };

    async function answerContent(): Promise<AnswerContent> {
      if (headers.authorization !== `Bearer ${token}`) throw invalidToken("unknown_issuer");
      const found = findRoute<FakeRoute | OwnRoute>(routes, method, pathname);
      progress.found = found;
      const { params, route } = found;
      if ("answer" in route)
        return jsonAnswer(route.answer(params, { key, search: search.slice(1) }));
      const { endpoint, insurer, name } = route;
      const input = await validateInput(found.params, route, request, search.slice(1));
      const scenario = headers["x-sandbox-scenario"];
      if (!actsAtInsurer(route.endpoint)) {
        const sent = insurer.ask({ name, input, scenario }, time.now());
        const { afterMs, answer } = applyTimeLimit(sent, INSURER_TIMEOUT_MS.other);
        if (afterMs > 0) await waitUntil(time.now() + afterMs);
        return gatewayAnswerOf(endpoint, input, answer);
      }
      const sentKey = idempotencyKeyOf(key === undefined ? undefined : [key]);
      progress.isSubmitted = true;
      return submissions.submit({
        route,
        input,
        key: sentKey,
        waitMs: waitOf(headers.prefer === undefined ? undefined : [headers.prefer]),
        scenario,
        requestId,
        isAnswerLost: isAnswerLost(),
        waitUntil,
      });
    }

    const { answer, problem } = await answerContent().then(
      (content) => ({ answer: content, problem: null }),
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        return refused(error);
      },
    );

    function refused(refusal: Refusal): {
      readonly answer: AnswerContent;
      readonly problem: Problem | null;
    } {
      const corrected = withEarlierSubmission(refusal, { key, method, progress });
      if (!(corrected instanceof Refusal)) return { answer: corrected, problem: null };
      const route = progress.found?.route;
      const provider = route !== undefined && "endpoint" in route ? route.endpoint.provider : null;
      const pages = FAKE_ERROR_PAGES_ADDRESS;
      const body = problemOf(corrected, { requestId, provider, pages });
      const problemHeaders = {
        ...corrected.details.headers,
        "cache-control": "no-store",
        "content-type": "application/problem+json; charset=utf-8",
      };
      return {
        answer: { status: body.status, headers: problemHeaders, content: JSON.stringify(body) },
        problem: body,
      };
    }

    return {
      ...answer,
      headers: { ...answer.headers, "x-request-id": requestId },
      problem,
      isSubmission: progress.isSubmitted,
    };
  };

  /** Corrects a refusal so that it takes earlier requests with the same key or content into account. */
  function withEarlierSubmission(
    refusal: Refusal,
    {
      key,
      method,
      progress: { found, isSubmitted },
    }: {
      readonly key: string | undefined;
      readonly method: string;
      readonly progress: RequestProgress;
    },
  ): Refusal | StoredAnswer {
    const route = found?.route;
    const mayAct =
      route === undefined
        ? maySubmit(method)
        : "endpoint" in route && actsAtInsurer(route.endpoint);
    if (!mayAct || isSubmitted) return refusal;
    if (key === undefined) return contentNotCompared(refusal);
    if (route === undefined || !("endpoint" in route)) return keyStateUnknown(refusal);
    try {
      const sent = idempotencyKeyOf([key]);
      return (sent && submissions.earlier(route, sent.key)) ?? refusal;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // A malformed key belongs to no submission.
      return error.code === "INVALID_REQUEST" ? contentNotCompared(refusal) : error;
    }
  }
}

/** Progress of a request through the pipeline. */
interface RequestProgress {
  found: FoundRoute<FakeRoute | OwnRoute> | undefined;
  isSubmitted: boolean;
}

function routesOf(insurer: RunningInsurer): readonly PlacedRoute<FakeRoute>[] {
  const { endpoints, id } = insurer.provider;
  return Object.entries(endpoints).map(([name, endpoint]) => ({
    method: endpoint.method,
    path: `/${id}${endpoint.path}`,
    route: { endpoint, endpoints, insurer, name, segment: id },
  }));
}

/** Returns the JSON answer of one of the gateway's own endpoints. */
function jsonAnswer(given: object): AnswerContent {
  const { retryAfterSeconds = null, ...body }: Partial<StatusAnswer> = given;
  return {
    status: 200,
    headers: {
      "cache-control": "no-store",
      "content-type": "application/json; charset=utf-8",
      ...(retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) }),
    },
    content: JSON.stringify(body),
  };
}
