import { randomUUID } from "node:crypto";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { outcomeUnknown, Refusal } from "@insurance-gateway/core/runtime";
import * as providerD from "@insurance-gateway/provider-d";
import { createDays } from "../../src/accounts/usage/days.ts";
import { requiredScope } from "../../src/callers/permit.ts";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import type { UpstreamCall } from "../../src/insurers/call.ts";
import { createLogger } from "../../src/operator/logging/logger.ts";
import type { ProviderRoute } from "../../src/routing/route.ts";
import { createEncryption } from "../../src/store/encryption.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { createDigests } from "../../src/submissions/identity.ts";
import { createReconcile, type Reconcile } from "../../src/submissions/reconcile.ts";
import { createRecorder } from "../../src/submissions/recorder.ts";
import type { StoreClock } from "../../src/submissions/store-clock.ts";
import type { SubmitParts } from "../../src/submissions/submission.ts";
import { createSubmit } from "../../src/submissions/submit.ts";
import { type InsurerPlan, ModelInsurer, type PagedBy, pagingBy, TENANT } from "./model-insurer.ts";
import {
  type Fact,
  falseStatements,
  knowingBulk,
  type SubmissionPlan,
} from "./submission-facts.ts";

const SECOND = 1_000;

/** Provider D's application, with a tenant in its path. */
const createApplication: Endpoint = {
  ...providerD.createApplication,
  path: "/{tenantId}/applications",
  reconcile: {
    endpoint: "searchApplications",
    createdAt: "/createdAt",
    ...providerD.createApplication.reconcile,
    parameters: { tenantId: { from: "/path/tenantId" }, clientAfm: { from: "/holder/afm" } },
  },
};

/** Returns provider D's search, with a tenant in the path and with the given style of pages. */
function searchBy(paged: PagedBy): Endpoint {
  return {
    ...providerD.searchApplications,
    path: "/{tenantId}/applications/search",
    paging: pagingBy(paged),
  };
}

/** One round of reconciliation, with a query for each submission of unknown outcome. */
export interface LookPlan {
  /** Time since the previous round of reconciliation, in milliseconds. */
  readonly after: number;
  /** True if the newest submission is queried first. */
  readonly newestFirst: boolean;
}

/** A world: callers, processes with different clocks, and one insurer behind two segments. */
export interface WorldPlan {
  readonly submissions: readonly SubmissionPlan[];
  readonly insurer: InsurerPlan;
  readonly looks: readonly LookPlan[];
}

/** Encryption that all worlds share. */
const encryption = createEncryption([{ id: "one", secret: new Uint8Array(32).fill(7) }]);
const identity = createDigests(new Uint8Array(32).fill(9));
const logger = createLogger({ write: () => {} });
const settleAfterMs = createApplication.settleAfterMs ?? 0;

/**
 * Runs a world, and returns every contradiction: a created application that is marked as failed, a missing application
 * that is marked as succeeded, an identifier with two owners, a submission that was sent twice.
 * @param number - distinguishes the customers and identifiers of the worlds on one store
 */
export async function contradictionsOf(
  plan: WorldPlan,
  sharedStore: SubmissionStore,
  number: number,
): Promise<readonly string[]> {
  const begin = 1_893_456_000_000 + number * 400 * 86_400 * SECOND;
  let now = begin;
  const insurer = new ModelInsurer(plan.insurer, `W${number}`, () => now);
  const store = knowingBulk(sharedStore, insurer);
  const facts: Fact[] = plan.submissions.map((submission) => ({
    plan: submission,
    id: null,
    sent: 0,
    item: null,
    told: null,
  }));
  const afm = String(100_000_000 + number);
  const events: { at: number; work: () => Promise<void> }[] = [];
  const at = (when: number, work: () => Promise<void>): void =>
    void events.push({ at: when, work });

  async function pass(milliseconds: number): Promise<void> {
    const until = now + milliseconds;
    for (;;) {
      const next = events.toSorted((one, other) => one.at - other.at)[0];
      if (next === undefined || next.at > until) break;
      events.splice(events.indexOf(next), 1);
      now = Math.max(now, next.at);
      await next.work();
    }
    now = until;
  }

  /** Lets the insurer execute a submission, and answer the gateway at the planned time. */
  async function carryOut(
    fact: Fact,
    { input, submissionId }: UpstreamCall,
  ): Promise<UpstreamAnswer> {
    const { answer, carriedOut, lateBy, waits } = fact.plan;
    fact.id = submissionId;
    fact.sent += 1;
    const act = async (): Promise<void> => {
      fact.item = insurer.add({ ...Object(input.body) });
    };
    if (carriedOut === "in time") at(now + 1, act);
    if (carriedOut === "late") at(now + waits + lateBy * settleAfterMs, act);
    const { promise, resolve } = Promise.withResolvers<void>();
    if (answer !== "finds no process") at(now + waits, async () => resolve());
    await promise;
    if (answer === "is lost" || fact.item === null) throw outcomeUnknown(createApplication);
    const { applicationId } = fact.item;
    return {
      status: 201,
      headers: {},
      content: JSON.stringify(fact.item),
      insurerId: applicationId,
    };
  }

  const clockOf = (ahead: number): StoreClock => ({
    now: () => ({ at: now + ahead, running: now }),
    count: async () => {},
    faults: () => ({ aheadMs: 0, startedBehindMs: 0 }),
  });
  const parts = (clock: number): SubmitParts => ({
    store,
    recorder: createRecorder(store, logger, clockOf(clock)),
    identity,
    encryption,
    retention: { answerMs: 72 * 3_600_000, digestsMs: 90 * 86_400_000, sameContentMs: 0 },
    basePath: "",
    time: { now: () => now + clock, elapsed: () => now },
    clock: clockOf(clock),
    logger,
    requestQuery: () => {},
    days: createDays("Europe/Athens"),
    observation: { answerMismatched: () => {} },
    quotas: {
      submissionsPerDay: () => null,
      submissionRefused() {
        throw new Error("There is no quota");
      },
    },
  });

  for (const fact of facts) at(begin + fact.plan.arrivesAt, () => arrive(fact));
  async function arrive(fact: Fact): Promise<void> {
    const { caller, clock, name, segment, vehicle, waits } = fact.plan;
    const body = {
      policy: { startDate: "2030-01-01", endDate: "2031-01-01" },
      vehicle: { plateNumber: `ΙΚΥ-100${vehicle}`, manufacturerCode: "TOY", modelCode: "YARIS" },
      holder: { afm, fullName: `Customer ${name}` },
    };
    const begun = Promise.withResolvers<void>();
    const route = routeOf(createApplication, segment, (call) => {
      begun.resolve();
      return carryOut(fact, call);
    });
    const submitted = createSubmit(parts(clock))(route, {
      caller: {
        issuer: "https://issuer.example",
        subject: `sub ${caller}`,
        tenant: null,
        scopes: null,
      },
      account: "default",
      key: { key: randomUUID(), isGenerated: false },
      waitMs: null,
      input: { params: { tenantId: TENANT }, query: {}, headers: {}, body },
      origin: {
        requestId: randomUUID(),
        traceHeaders: {},
        scenario: undefined,
        waited: () => {},
      },
    }).answer.then(
      ({ status }) => {
        fact.told = status < 300 ? "succeeded" : "failed";
      },
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        if (error.facts.outcome === "rejected") fact.told = "failed";
        if (error.facts.outcome === "executed") fact.told = "succeeded";
      },
    );
    await Promise.race([begun.promise, submitted]);
    // This event ends when the submission has ended, so that all effects of the answer come before the next event.
    if (fact.sent > 0 && fact.plan.answer !== "finds no process") at(now + waits, () => submitted);
  }

  const findEndpoint = (segment: string, name: string): ProviderRoute | undefined =>
    routeOf(name === "createApplication" ? createApplication : searchEndpoint, segment, search);
  const searchEndpoint = searchBy(plan.insurer.paged);
  async function search(call: UpstreamCall): Promise<UpstreamAnswer> {
    if (call.submissionId !== null) throw new TypeError("A reconciliation query is no submission");
    return { status: 200, ...(await insurer.search(call.input, pass)) };
  }
  const reconcile: Reconcile = createReconcile({
    ...parts(0),
    findEndpoint,
    stopping: new AbortController().signal,
  });

  const found: string[] = [];
  await pass(0);
  for (const { after, newestFirst } of plan.looks) {
    await pass(after);
    await sharedStore.expireLeases(now, { at: now, running: now });
    const ids = facts.flatMap(({ id }) => (id === null ? [] : [id]));
    for (const id of newestFirst ? ids.toReversed() : ids) {
      const record = await sharedStore.find(id);
      if (record?.state === "outcome_unknown")
        await reconcile(record, { waitForTurn: async () => {}, probe: false });
    }
  }
  // Advances the time by ten minutes, so that all late events happen.
  await pass(10 * 60 * SECOND);
  const owners = new Map<string, string>();
  for (const fact of facts) {
    // Equal submissions may get each other's application, because nothing distinguishes such submissions.
    const isAlone = facts.every((one) => one === fact || one.plan.vehicle !== fact.plan.vehicle);
    found.push(...(await falseStatements(fact, sharedStore, insurer, owners, isAlone)));
  }
  return found;
}

function routeOf(
  endpoint: Endpoint,
  segment: string,
  call: (upstreamCall: UpstreamCall) => Promise<UpstreamAnswer>,
): ProviderRoute {
  const unused = (): never => {
    throw new TypeError("Not used here");
  };
  return {
    endpoint,
    name: endpoint.kind === "submission" ? "createApplication" : "searchApplications",
    segment,
    template: "",
    scope: requiredScope(segment, endpoint.kind),
    validate: unused,
    limitCaller: unused,
    unique: "provider",
    submissionMs: 45 * SECOND,
    upstream: {
      sandbox: false,
      call: (_, upstreamCall) => call(upstreamCall),
      findsByReference: () => false,
      close: async () => {},
    },
  };
}
