import type { Endpoint } from "@insurance-gateway/core/contract";
import {
  type CheckedInput,
  type ErrorPages,
  type FoundRoute,
  type IdempotencyKey,
  idempotencyKeyOf,
  kindPolicies,
  Refusal,
  waitOf,
} from "@insurance-gateway/core/runtime";
import type { Tenants } from "../accounts/tenants.ts";
import type { Quotas } from "../accounts/usage/quotas.ts";
import type { Authenticate } from "../callers/authenticate.ts";
import type { Caller } from "../callers/caller.ts";
import { joinLimitHeaders, type LimitHeaders } from "../callers/caller-limits.ts";
import { requireScope } from "../callers/permit.ts";
import type { LimitsConfiguration } from "../configuration/file.ts";
import type { ReceivedBody } from "../http/body.ts";
import { prefersGzip } from "../http/compression.ts";
import { hasCurrentAnswer } from "../http/entity-tags.ts";
import type { IncomingRequest, RequestHead } from "../http/exchange.ts";
import type { Answer } from "../http/send-answer.ts";
import { serverTimingOf } from "../http/server-timing.ts";
import type { LoadShedding } from "../http/shedding.ts";
import { traceHeadersFor } from "../http/trace-context.ts";
import type { UpstreamAnswer } from "../insurers/answers/upstream-answer.ts";
import type { CallOrigin } from "../insurers/call.ts";
import type { Logger } from "../operator/logging/logger.ts";
import type { Reference } from "../reference/open-reference.ts";
import type { FoundPage } from "../reference/pages.ts";
import type { ProviderRoute } from "../routing/route.ts";
import type { FindRoute } from "../routing/route-table.ts";
import type { Submissions } from "../submissions/submissions.ts";
import { NO_FACTS, type PipelineResult, type Route } from "./facts.ts";
import { guardRequest } from "./guard.ts";
import { type NegotiatedTypes, negotiateMediaTypes } from "./negotiate.ts";
import type { OwnRouteAnswer, OwnRouteParts } from "./own-routes.ts";
import { createRefuse, type Refuse } from "./refuse.ts";
import { pathOf, type RequestTarget, searchOf } from "./target.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** The settings for one request; the request keeps them from its arrival to its end. */
export interface RequestSettings {
  readonly findRoute: FindRoute<Route>;
  readonly limits: LimitsConfiguration;
  /** The documentation pages; null if the gateway does not serve them. */
  readonly reference: Reference | null;
}

/** Arguments of `createPipeline`. All requests share these arguments. */
export interface PipelineParts {
  readonly authenticate: Authenticate;
  readonly logger: Logger;
  readonly submissions: Pick<Submissions, "submit" | "refused" | "pseudonym">;
  /** The parts that the gateway's own routes use. */
  readonly own: OwnRouteParts;
  readonly pages: () => ErrorPages;
  readonly tenants: Tenants;
  readonly shedding: Pick<LoadShedding, "admit">;
  readonly quotas: Pick<Quotas, "admit">;
  /** Called for every valid search before the search is sent to the insurer. */
  readonly searched: (
    route: ProviderRoute,
    caller: Caller,
    input: CheckedInput,
    requestId: string,
  ) => void;
}

/**
 * The steps that answer a caller's request, in the order in which they run. A step refuses a request by throwing a
 * Refusal, from which `refuse` creates the answer.
 */
export interface Pipeline {
  /** Runs the steps and returns the answer; the answer is a problem if a step refuses the request. */
  handle(exchange: IncomingRequest, settings: RequestSettings): Promise<PipelineResult>;
  /** Creates the answer after an error: a problem, or the answer of the earlier submission with the request's key. */
  readonly refuse: Refuse;
}

/** Creates the pipeline. */
export function createPipeline({
  authenticate,
  pages,
  logger,
  own,
  quotas,
  searched,
  shedding,
  submissions,
  tenants,
}: PipelineParts): Pipeline {
  const refuse = createRefuse({ logger, pages, submissions });

  async function handle(
    exchange: IncomingRequest,
    settings: RequestSettings,
  ): Promise<PipelineResult> {
    const { head } = exchange;
    let facts = NO_FACTS;
    try {
      // Shed: refuses a share of the requests during an overload, before they cost anything.
      shedding.admit(exchange.waitedMs);

      // Guard: refuses requests that are ambiguous or too large.
      const target = guardRequest(head, settings.limits);

      // Reference: everybody may read the documentation pages, which have no data of any caller. An ambiguous path is
      // never a page; the route step refuses it.
      const page =
        settings.reference?.find(head.method ?? "", target.path) ??
        pageForBrowser(settings, head, target);
      if (page !== null) {
        const shown = await page;
        facts = { ...facts, pageTemplate: shown.template };
        await exchange.readBody(null);
        return { answer: await shown.answer(exchange), facts };
      }

      // Authenticate: before the route is found, so that only callers with a token learn which paths exist. The
      // reference step tells browsers without a token that a path has no route, but the public documentation shows the
      // paths anyway.
      const { authorization } = head.headers;
      const { address } = exchange;
      const caller = await authenticate({ authorization, address });
      facts = { ...facts, caller, pseudonym: submissions.pseudonym(caller) };

      // Route: finds the route; 404 for an unknown path, 405 for a method that the path does not have.
      const found = settings.findRoute(head.method ?? "", pathOf(target));
      facts = { ...facts, found };
      const { params, route } = found;
      if (!("endpoint" in route)) {
        tenants.admit(caller);
        const limits = route.limitCaller(caller);
        facts = { ...facts, limits };
        await exchange.readBody(null);
        const query = (): URLSearchParams => new URLSearchParams(searchOf(target));
        const asked = { caller, params, query, headers: head.headersDistinct };
        return { answer: createOwnAnswer(await route.answer(asked, own), limits), facts };
      }

      // Admit: 403 without the scope or an account; 429 above the rate limit; 415 and 406 for undeclared media types.
      const { endpoint, name, segment } = route;
      requireScope(caller, route.scope);
      const account = tenants.accountOf(caller, segment);
      facts = { ...facts, account };
      const limited = route.limitCaller(caller);
      facts = { ...facts, limits: limited };
      const negotiated = negotiateMediaTypes(endpoint, head.headers, settings.limits.bodyBytes);

      // Count: counts the admitted request for the account; 429 if the account's quota of requests is used up.
      const place = { account, segment, endpoint: name, kind: endpoint.kind };
      const admitted = await quotas.admit(place);
      const limits = joinLimitHeaders(limited, admitted.headers);
      facts = { ...facts, limits, countFailure: admitted.failed };

      // Validate: refuses an invalid request with all its faults; nothing of it is sent to the insurer.
      const body = await exchange.readBody(negotiated.body, caller);
      const input = validatedInputOf(
        { body, negotiated, params, route, target },
        head,
        settings.limits,
      );

      // Adapt and send: returns the insurer's checked answer; without one, throws a Refusal with the proven facts about
      // the outcome.
      const submission = submissionHeadersOf(endpoint, head);
      if (submission !== null) facts = { ...facts, isSubmitted: true };
      const received = await call({ caller, account, input, route, submission }, exchange);

      // Answer: JSON as the text that was checked, a document as a stream that is never stored as a whole.
      facts = { ...facts, problem: received.problem };
      const headers = { ...limits, ...received.headers, "server-timing": serverTimingOf(exchange) };
      return { answer: createInsurersAnswer({ ...received, headers }, endpoint, head), facts };
    } catch (error) {
      return refuse(error, exchange, facts);
    }
  }

  /**
   * Makes the call to the insurer. A submission is stored on disk before its first byte is sent, and continues if its
   * caller disconnects.
   */
  function call(
    { caller, account, input, route, submission }: InsuranceCall,
    exchange: IncomingRequest,
  ): Promise<UpstreamAnswer> {
    const origin = callOriginOf(exchange);
    if (submission !== null)
      return submissions.submit(route, { input, origin, caller, account, ...submission });
    if (route.endpoint.kind === "search") searched(route, caller, input, exchange.id);
    const { callerGone } = exchange;
    const upstreamCall = { ...origin, account, input, submissionId: null, callerGone };
    return route.upstream.call(route.endpoint, upstreamCall);
  }

  return { handle, refuse };
}

/** Returns a page for a browser that requests an address without a route; null for every other request. */
function pageForBrowser(
  { findRoute, reference }: RequestSettings,
  head: RequestHead,
  target: RequestTarget,
): Promise<FoundPage> | null {
  const lead = reference?.lead(head, target.path) ?? null;
  if (lead === null) return null;
  try {
    findRoute(head.method ?? "", pathOf(target));
    return null;
  } catch (error) {
    return error instanceof Refusal && error.code === "NOT_FOUND" ? lead() : null;
  }
}

/** The parts of a request to a provider's route from which its input is validated. */
interface InsuranceRequest extends Pick<FoundRoute<Route>, "params"> {
  readonly body: ReceivedBody | undefined;
  readonly negotiated: NegotiatedTypes;
  readonly route: ProviderRoute;
  readonly target: RequestTarget;
}

/** A valid request to a provider's route, ready to be sent. */
interface InsuranceCall {
  readonly caller: Caller;
  /** The id of the caller's account at the insurer. */
  readonly account: string;
  readonly input: CheckedInput;
  readonly route: ProviderRoute;
  /** Headers of a submission; null for a call on which the insurer does not act. */
  readonly submission: SubmissionHeaders | null;
}

/** The headers of a submission that only the gateway uses; the insurer does not receive them. */
interface SubmissionHeaders {
  readonly key: IdempotencyKey | null;
  /** Maximum time for which the caller waits for the answer, in milliseconds; null without a maximum. */
  readonly waitMs: number | null;
}

/**
 * Returns the headers of a submission; null for a call on which the insurer does not act.
 * @throws Refusal if the idempotency key is malformed
 */
function submissionHeadersOf(
  { kind }: Endpoint,
  { headersDistinct }: RequestHead,
): SubmissionHeaders | null {
  if (!kindPolicies[kind].actsAtInsurer) return null;
  return {
    key: idempotencyKeyOf(headersDistinct["idempotency-key"]),
    waitMs: waitOf(headersDistinct.prefer),
  };
}

function validatedInputOf(
  { body, negotiated, params, route, target }: InsuranceRequest,
  head: RequestHead,
  { jsonDepth }: LimitsConfiguration,
): CheckedInput {
  const checked = route.validate({
    params,
    search: searchOf(target),
    headers: head.headersDistinct,
    body,
    mediaType: negotiated.body?.mediaType ?? null,
    jsonDepth,
  });
  const { accept } = negotiated;
  return accept === null ? checked : { ...checked, accept };
}

function callOriginOf({ head, id, trace, waits }: IncomingRequest): CallOrigin {
  return {
    requestId: id,
    traceHeaders: traceHeadersFor(trace),
    scenario: head.headers["x-sandbox-scenario"]?.toString(),
    waited(milliseconds) {
      waits.insurerMs = (waits.insurerMs ?? 0) + milliseconds;
    },
  };
}

/**
 * Creates the caller's answer from the insurer's answer: status 304 if the caller already has the current lookup
 * answer; compressed if the caller prefers gzip and a compressed form exists.
 */
function createInsurersAnswer(
  { bytes, compressed, content, contentLength, headers, status }: UpstreamAnswer,
  { kind }: Endpoint,
  head: RequestHead,
): Answer {
  if (kind === "lookup" && hasCurrentAnswer(head.headers["if-none-match"], headers.etag))
    return { status: 304, headers, content: null };
  if (compressed !== undefined && prefersGzip(head.headers))
    return { status, headers: { ...headers, "content-encoding": "gzip" }, content: compressed };
  return { status, headers, content: bytes ?? content, contentLength };
}

/** Creates the answer of one of the gateway's own routes. */
function createOwnAnswer({ body, headers: own }: OwnRouteAnswer, limits: LimitHeaders): Answer {
  const headers = { "cache-control": "no-store", "content-type": JSON_TYPE };
  return { status: 200, headers: { ...limits, ...headers, ...own }, content: JSON.stringify(body) };
}
