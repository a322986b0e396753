import { bodyOf } from "../contract/body.ts";
import type { CheckedInput } from "../contract/input-checker.ts";
import { inputChecker } from "../contract/input-checker.ts";
import { kindPolicies } from "../contract/kinds.ts";
import type { FoundRoute, PlacedRoute } from "../contract/routes.ts";
import type { Problem } from "../errors/problem.ts";
import { type DeclaredBody, readDeclaredBody } from "../rules/declared-body.ts";
import { waitOf } from "../rules/preferred-wait.ts";
import { problemOf } from "../rules/problem-body.ts";
import { Refusal } from "../rules/refusal.ts";
import {
  invalidRequest,
  invalidToken,
  readKeyLookup,
  requireNoQuery,
  unsupported,
  withPage,
} from "../rules/request-refusals.ts";
import { idempotencyKeyOf, maySubmit } from "../rules/sent-key.ts";
import type { StoredAnswer } from "../rules/stored-answer.ts";
import { contentNotCompared, keyStateUnknown, noEndpoint } from "../rules/submission-refusals.ts";
import type { StatusAnswer } from "../rules/submission-standing.ts";
import type { TransportRequest } from "../transport/transport.ts";
import { findRoute } from "./fake-routes.ts";
import { createFakeSubmissions, INSURER_LIMIT_MS } from "./fake-submissions.ts";
import { passedAnswer, withinLimit } from "./insurer-answer.ts";
import { FAKE_PAGES, type FakeRoute } from "./kept-submission.ts";
import type { RunningInsurer } from "./simulated-insurer.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The answer to a request. */
export interface FakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Uint8Array;
  readonly problem: Problem | null;
  readonly isSubmission: boolean;
}

/** The parts of a fake gateway that answer requests. */
export interface FakePipelineParts {
  /** The only token that is accepted. */
  readonly token: string;
  readonly time: Pick<VirtualTime, "now">;
  readonly insurers: readonly RunningInsurer[];
  /** Whether the insurer's answer to the next submission gets lost. */
  readonly isAnswerLost: () => boolean;
}

/** Answers a request, which can be a problem. Throws once `waitUntil` throws. */
export type FakePipeline = (
  request: TransportRequest,
  target: { readonly pathname: string; readonly search: string },
  waitUntil: (instant: number) => Promise<void>,
) => Promise<FakeAnswer>;

/** One of the gateway's own routes. */
interface OwnRoute {
  readonly answer: (params: FoundRoute<unknown>["params"], asked: OwnRequest) => object;
}

interface OwnRequest {
  readonly search: string;
  readonly key: string | undefined;
}

type Answered = Pick<FakeAnswer, "status" | "headers" | "content">;

/** Creates the steps of a request: those of the gateway, with its default settings. */
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
          return segment === asked.segment && acts({ endpoint }) && names.includes(asked.endpoint);
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
    const progress: Progress = { found: undefined, isSubmitted: false };

    async function answered(): Promise<Answered> {
      if (headers.authorization !== `Bearer ${token}`) throw invalidToken("unknown_issuer");
      const found = findRoute<FakeRoute | OwnRoute>(routes, method, pathname);
      progress.found = found;
      const { params, route } = found;
      if ("answer" in route)
        return ownAnswer(route.answer(params, { key, search: search.slice(1) }));
      const { endpoint, insurer, name } = route;
      const input = await checkedInput(found.params, route, request, search.slice(1));
      const scenario = headers["x-sandbox-scenario"];
      if (!acts(route)) {
        const sent = insurer.ask({ name, input, scenario }, time.now());
        const { afterMs, answer } = withinLimit(sent, INSURER_LIMIT_MS.other);
        if (afterMs > 0) await waitUntil(time.now() + afterMs);
        return passedAnswer(endpoint, input, answer);
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

    const { answer, problem } = await answered().then(
      (given) => ({ answer: given, problem: null }),
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        return refused(error);
      },
    );

    function refused(refusal: Refusal): {
      readonly answer: Answered;
      readonly problem: Problem | null;
    } {
      const told = truthful(refusal, { key, method, progress });
      if (!(told instanceof Refusal)) return { answer: told, problem: null };
      const route = progress.found?.route;
      const provider = route !== undefined && "endpoint" in route ? route.endpoint.provider : null;
      const made = problemOf(told, { requestId, provider, pages: FAKE_PAGES });
      const ofProblem = {
        ...told.details.headers,
        "cache-control": "no-store",
        "content-type": "application/problem+json; charset=utf-8",
      };
      return {
        answer: { status: made.status, headers: ofProblem, content: JSON.stringify(made) },
        problem: made,
      };
    }

    return {
      ...answer,
      headers: { ...answer.headers, "x-request-id": requestId },
      problem,
      isSubmission: progress.isSubmitted,
    };
  };

  /** Makes a refusal truthful about earlier requests with the same key or content. */
  function truthful(
    refusal: Refusal,
    {
      key,
      method,
      progress: { found, isSubmitted },
    }: {
      readonly key: string | undefined;
      readonly method: string;
      readonly progress: Progress;
    },
  ): Refusal | StoredAnswer {
    const route = found?.route;
    const mayAct = route === undefined ? maySubmit(method) : "endpoint" in route && acts(route);
    if (!mayAct || isSubmitted) return refusal;
    if (key === undefined) return contentNotCompared(refusal);
    if (route === undefined || !("endpoint" in route)) return keyStateUnknown(refusal);
    try {
      const sent = idempotencyKeyOf([key]);
      return (sent && submissions.earlier(route, sent.key)) ?? refusal;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // No submission has a key that is not well-formed.
      return error.code === "INVALID_REQUEST" ? contentNotCompared(refusal) : error;
    }
  }
}

/** How far a request has come. */
interface Progress {
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

function acts({ endpoint }: Pick<FakeRoute, "endpoint">): boolean {
  return kindPolicies[endpoint.kind].actsAtInsurer;
}

function ownAnswer(given: object): Answered {
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

/** @throws Refusal for a request that does not match the contract */
async function checkedInput(
  params: FoundRoute<unknown>["params"],
  { endpoint }: FakeRoute,
  { body, headers }: TransportRequest,
  search: string,
): Promise<CheckedInput> {
  const sent = await sentBody(endpoint, headers["content-type"] ?? "", await bytesOf(body));
  const checked = inputChecker(endpoint)({ params, search, headers, ...sent });
  if (!checked.valid) throw invalidRequest(checked.faults);
  return endpoint.kind === "search" ? withPage(endpoint, checked.value) : checked.value;
}

async function sentBody(
  endpoint: FakeRoute["endpoint"],
  contentType: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<DeclaredBody | { readonly body: undefined }> {
  const declared = bodyOf(endpoint);
  if (declared === undefined && bytes.byteLength > 0)
    throw new Refusal("INVALID_REQUEST", { detail: "This endpoint takes no body." });
  if (declared === undefined || (bytes.byteLength === 0 && !declared.required))
    return { body: undefined };
  const [named = ""] = contentType.split(";", 1);
  if (!Object.hasOwn(declared.media, named.trim().toLowerCase()))
    throw unsupported(Object.keys(declared.media));
  return readDeclaredBody(endpoint, contentType, bytes).catch(() => {
    throw new Refusal("MALFORMED_JSON", { detail: "The body is not JSON." });
  });
}

async function bytesOf(body: TransportRequest["body"]): Promise<Uint8Array<ArrayBuffer>> {
  if (body === undefined || typeof body === "string") return new TextEncoder().encode(body ?? "");
  if (body instanceof Uint8Array) return new Uint8Array(body);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of body) chunks.push(new Uint8Array(chunk));
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
