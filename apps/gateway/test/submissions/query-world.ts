import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Endpoint } from "@insurance-gateway/core/contract";
import type { StoredAnswer } from "@insurance-gateway/core/runtime";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { createDays } from "../../src/accounts/usage/days.ts";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import type { UpstreamCall } from "../../src/insurers/call.ts";
import type { ProviderRoute } from "../../src/routing/route.ts";
import { createEncryption } from "../../src/store/encryption.ts";
import type { SubmissionRecord } from "../../src/store/record.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import {
  encryptMatchFields,
  type MatchFields,
  matchFieldsOf,
} from "../../src/submissions/match.ts";
import type { ReconcileParts } from "../../src/submissions/query-result.ts";
import { createReconcile } from "../../src/submissions/reconcile.ts";
import { decryptAnswer } from "../../src/submissions/stored-answer.ts";
import { applicationBody, listedApplication } from "../harness/applications.ts";
import { openDirectStore } from "../harness/direct-store.ts";
import { keyNamed } from "../harness/key-named.ts";
import { momentAt, ONCE, RECEIVED_AT, sampleSubmission } from "../harness/store-samples.ts";
import { type TestLog, writeLog } from "./written-log.ts";

export const SECOND = 1_000;
export const MINUTE: number = 60 * SECOND;
export const HOUR: number = 60 * MINUTE;
/** Time at which the outcome became unknown. */
export const UNKNOWN_AT: number = RECEIVED_AT + 45 * SECOND;
const settleAfterMs = createApplication.settleAfterMs ?? 0;
/** Time from which a query that does not find the submission counts for the proof of absence. */
export const SETTLED_AT: number = UNKNOWN_AT + settleAfterMs;
/** Time at which a second query that does not find the submission proves the submission's absence. */
export const PROVEN_AT: number = UNKNOWN_AT + 12 * MINUTE;

const encryption = createEncryption([keyNamed("one")]);
const body = applicationBody("123456789");
const fields = matchFieldsOf(createApplication, { params: {}, query: {}, body });

/** An insurer whose list the test controls, and a store with submissions of unknown outcome. */
export interface QueryWorld {
  readonly store: SubmissionStore;
  log: TestLog;
  now: number;
  /** Time by which the test has moved the clock forward, in milliseconds. */
  moved: number;
  /** The insurer's list, or the error of the search. */
  listed: readonly object[] | Error;
  /** The result or the error of the query by reference; null if the insurer supports no query by reference. */
  referred: readonly object[] | Error | null;
  calls: UpstreamCall[];
  /** Number of requests for which a query waited for the rate limit. */
  turns: number;
  stopping: AbortController;
  endpoints: Map<string, Endpoint>;
  /** Queries the insurer for one submission, and reports whether the insurer answered. */
  readonly reconcile: (
    record: SubmissionRecord,
    more?: Partial<ReconcileParts>,
  ) => Promise<boolean>;
  /** Stores a submission of unknown outcome, and returns the record. */
  readonly unknown: (
    more?: Parameters<typeof sampleSubmission>[0],
    stored?: MatchFields,
  ) => Promise<SubmissionRecord>;
  readonly found: (id: string) => Promise<SubmissionRecord>;
  /** Returns the record after a first query that did not find the submission. */
  readonly missed: (record: SubmissionRecord) => Promise<SubmissionRecord>;
}

/** Returns the state at the start of each test. */
function fresh(): Omit<QueryWorld, "store" | "reconcile" | "unknown" | "found" | "missed"> {
  return {
    log: writeLog(),
    now: UNKNOWN_AT + 3 * SECOND,
    moved: 0,
    listed: [],
    referred: null,
    calls: [],
    turns: 0,
    stopping: new AbortController(),
    endpoints: new Map<string, Endpoint>([
      ["createApplication", createApplication],
      ["searchApplications", searchApplications],
    ]),
  };
}

/** Opens the store for the tests of a file, and resets everything else before each test. */
export function useQueryWorld(): QueryWorld {
  const folder = mkdtempSync(join(tmpdir(), "reconcile-"));
  let store: SubmissionStore;
  const world: QueryWorld = {
    ...fresh(),
    get store() {
      return store;
    },
    reconcile,
    unknown,
    found,
    async missed(record) {
      await store.planNextQuery(record, momentAt(SETTLED_AT), PROVEN_AT, SETTLED_AT);
      return found(record.id);
    },
  };
  beforeAll(async () => {
    store = await openDirectStore({ data: folder, databaseUrl: undefined });
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => void Object.assign(world, fresh()));

  async function search(call: UpstreamCall): Promise<UpstreamAnswer> {
    world.calls.push(call);
    const found = call.submissionId === null ? world.listed : (world.referred ?? []);
    if (found instanceof Error) throw found;
    const content = JSON.stringify({ items: found, start: 1, limit: 100, total: found.length });
    return { status: 200, headers: {}, content };
  }

  async function reconcile(
    record: SubmissionRecord,
    more: Partial<ReconcileParts> = {},
  ): Promise<boolean> {
    const route = (endpoint: Endpoint): ProviderRoute =>
      ({
        endpoint,
        unique: "provider",
        upstream: {
          call: (_: Endpoint, call: UpstreamCall) => search(call),
          findsByReference: () => world.referred !== null,
        },
      }) as unknown as ProviderRoute; // a query uses no other parts
    const query = createReconcile({
      store: world.store,
      encryption,
      retention: { answerMs: HOUR, digestsMs: 2 * HOUR, sameContentMs: 0 },
      basePath: "/broker",
      logger: world.log.logger,
      days: createDays("Europe/Athens"),
      clock: {
        now: () => ({ at: world.now, running: world.now - world.moved }),
        count: async () => {},
        faults: () => ({ aheadMs: 0, startedBehindMs: 0 }),
      },
      stopping: world.stopping.signal,
      findEndpoint: (segment, name) => {
        const endpoint = segment === "motor" ? world.endpoints.get(name) : undefined;
        return endpoint && route(endpoint);
      },
      ...more,
    });
    const waitForTurn = async (): Promise<void> => {
      world.turns += 1;
    };
    return (await query(record, { waitForTurn, probe: true })) === "answered";
  }

  async function unknown(
    more: Parameters<typeof sampleSubmission>[0] = {},
    stored: MatchFields = fields,
  ): Promise<SubmissionRecord> {
    const { id } = sampleSubmission();
    const matchFields = encryptMatchFields(encryption, id, stored);
    const submission = sampleSubmission({ id, matchFields, keyId: "one", ...more });
    await world.store.claim(submission, ONCE);
    await world.store.markUnknown(id, momentAt(UNKNOWN_AT), UNKNOWN_AT + 2 * SECOND);
    return found(id);
  }

  async function found(id: string): Promise<SubmissionRecord> {
    return (await world.store.find(id)) ?? expect.fail("It is not there");
  }

  return world;
}

/** Returns the answer that is stored with a submission. */
export function storedIn(record: SubmissionRecord): StoredAnswer {
  const { answer, id, keyId } = record;
  return decryptAnswer(encryption, id, answer ?? new Uint8Array(), keyId ?? "");
}

let count = 0;
/** Returns the application as an item of the insurer's list. */
export function item(more: object = {}): { readonly applicationId: string } {
  count += 1;
  const at = new Date(RECEIVED_AT + SECOND).toISOString();
  const added = { applicationId: `R-${count}`, createdAt: at, updatedAt: at };
  return { ...listedApplication(body, added), ...more };
}

/** Fields with which an item of the list belongs to another application. */
export const otherVehicle: object = { vehicle: { plateNumber: "XXX-9999" } };
