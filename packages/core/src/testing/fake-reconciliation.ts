import { createsAtInsurer, identifierSeries, isClosed } from "../contract/match.ts";
import {
  firstPosition,
  firstStep,
  type PageStep,
  pagingOf,
  parsePage,
  stepAfter,
} from "../contract/paging.ts";
import { reconciliationInput } from "../contract/reconciliation.ts";
import { insurerIdOf } from "../rules/binding.ts";
import { absentAnswer, foundAnswer } from "../rules/found-answer.ts";
import { headersOfPage } from "../rules/page-headers.ts";
import { absentFrom, nextQueryAt, secondQueryAt } from "../rules/query-times.ts";
import { type Owner, type Verdict, type VerdictFacts, verdictOf } from "../rules/verdict.ts";
import { type FakeStoredSubmission, isOpenSubmission, storeResult } from "./kept-submission.ts";

/** Time until the next query if the insurer did not answer a query, in milliseconds. */
const UNANSWERED_QUERY_WAIT_MS = 10_000;

/** Queries the insurer for a submission, and stores the result that the insurer's list proves. */
export function reconcile(
  record: FakeStoredSubmission,
  all: readonly FakeStoredSubmission[],
  at: number,
): void {
  const items = searchItemsFor(record, at);
  if (items === "no_query") markForReview(record, at);
  else if (items === "unanswered") record.nextQueryAt = at + UNANSWERED_QUERY_WAIT_MS;
  else applyVerdict(record, verdictIn(record, all, items, at), at);
}

function verdictIn(
  record: FakeStoredSubmission,
  all: readonly FakeStoredSubmission[],
  items: readonly unknown[],
  at: number,
): Verdict {
  const { endpoint } = record.route;
  const unknownAt = unknownSince(record);
  return verdictOf(endpoint, items, {
    ...competitorsOf(record, all, items),
    matchFields: record.fields,
    times: { from: record.receivedAt, until: unknownAt },
    days: UTC,
    complete: true,
    settled: at - unknownAt >= (endpoint.settleAfterMs ?? Number.POSITIVE_INFINITY),
    rivals: [],
  });
}

/** Changes a submission as the verdict about the insurer's list requires. */
function applyVerdict(record: FakeStoredSubmission, found: Verdict, at: number): void {
  const { endpoint } = record.route;
  const unknown = unknownSince(record);
  record.updatedAt = at;
  if (found.verdict === "carried_out") {
    const { insurerId, item } = found;
    const answer = foundAnswer(endpoint, { id: record.id, insurerId, item }, "");
    storeResult(record, "succeeded", answer, { insurerId, closed: isClosed(endpoint, item) });
  } else if (found.verdict === "unclear") {
    record.nextQueryAt = nextQueryAt(unknown, at);
    if (record.nextQueryAt === null) markForReview(record, at);
  } else {
    record.absentAt ??= at;
    const missed = { absent: record.absentAt, received: record.receivedAt, unknown };
    if (at < absentFrom(missed)) record.nextQueryAt = secondQueryAt(missed);
    else storeResult(record, "failed", absentAnswer(endpoint, record), { insurerId: null });
  }
}

function unknownSince({ receivedAt, unknownAt }: FakeStoredSubmission): number {
  return unknownAt ?? receivedAt;
}

/** Time zone for times without an offset. The simulated insurers always write an offset. */
const UTC = { offsetAt: () => 0 };

/** Marks a submission whose outcome a person must find out. */
function markForReview(record: FakeStoredSubmission, at: number): void {
  record.state = "needs_review";
  record.nextQueryAt = null;
  record.updatedAt = at;
}

/** Reads every page of the insurer's list that can contain a submission. */
function searchItemsFor(
  { fields, route }: FakeStoredSubmission,
  at: number,
): readonly unknown[] | "no_query" | "unanswered" {
  const { endpoint, endpoints, insurer } = route;
  const name = endpoint.reconcile?.endpoint ?? "";
  const search = endpoints[name];
  if (search === undefined || fields.query === undefined || !createsAtInsurer(endpoint))
    return "no_query";
  const paging = pagingOf(search);
  const items: unknown[] = [];
  let step: PageStep | "last" | "endless" = firstStep(paging, {
    position: firstPosition(paging),
    size: paging.size.most ?? paging.size.usual,
  });
  while (typeof step === "object") {
    const input = reconciliationInput(search, fields.query, step.request);
    const answer = insurer.ask({ name, input }, at);
    if (!("body" in answer)) return "unanswered";
    const { body: value, headers: given = {} } = answer;
    const headers = headersOfPage(search, input, { value, headers: given });
    const page = headers && parsePage(paging, value, headers);
    if (page === null) return "unanswered";
    items.push(...page.items);
    step = stepAfter(paging, step, page);
  }
  return items;
}

/** Returns the facts about other submissions to which the found items may belong. */
function competitorsOf(
  record: FakeStoredSubmission,
  all: readonly FakeStoredSubmission[],
  items: readonly unknown[],
): Pick<
  VerdictFacts,
  "similarOpen" | "similarInFlight" | "similarOlder" | "similarUnnamed" | "owners"
> {
  const { endpoint, name } = record.route;
  const series = identifierSeries(name, endpoint);
  const others = all.filter(
    (one) =>
      one !== record &&
      one.provider === record.provider &&
      identifierSeries(one.endpoint, one.route.endpoint) === series,
  );
  const alike = others.filter((one) => haveEqualMatchFields(one, record));
  const open = alike.filter(isOpenSubmission);
  const ids = items.map((item) => insurerIdOf(endpoint, item));
  return {
    similarOpen: open.length,
    similarInFlight: open.filter(({ state }) => state === "in_flight").length,
    similarOlder: open.filter((one) => all.indexOf(one) < all.indexOf(record)).length,
    similarUnnamed: alike.filter((one) => one.state === "succeeded" && one.insurerId === null)
      .length,
    owners: others.flatMap((owner): readonly Owner[] => {
      const { insurerId } = owner;
      if (insurerId === null || !ids.includes(insurerId)) return [];
      return [{ insurerId, claim: alike.includes(owner) ? "certain" : "contradicted" }];
    }),
  };
}

function haveEqualMatchFields(one: FakeStoredSubmission, other: FakeStoredSubmission): boolean {
  return JSON.stringify(one.fields.same) === JSON.stringify(other.fields.same);
}
