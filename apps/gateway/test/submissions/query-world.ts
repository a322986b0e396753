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
import { type WrittenLog, writeLog } from "./written-log.ts";

export const SECOND = 1_000;
export const MINUTE: number = 60 * SECOND;
export const HOUR: number = 60 * MINUTE;
/** When the outcome became unknown. */
export const UNKNOWN_AT: number = RECEIVED_AT + 45 * SECOND;
const settleAfterMs = createApplication.settleAfterMs ?? 0;
/** From then on a query that does not find it counts. */
export const SETTLED_AT: number = UNKNOWN_AT + settleAfterMs;
/** The second query that does not find it proves that it is not there. */
export const PROVEN_AT: number = UNKNOWN_AT + 12 * MINUTE;

const encryption = createEncryption([keyNamed("one")]);
const body = applicationBody("123456789");
const fields = matchFieldsOf(createApplication, { params: {}, query: {}, body });

/** An insurer that lists what a test says, and a store with the submissions whose outcome a query finds. */
export interface QueryWorld {
  readonly store: SubmissionStore;
  log: WrittenLog;
  now: number;
  /** How far somebody has moved the clock. */
  moved: number;
  /** The insurer's list, or its error. */
  listed: readonly object[] | Error;
  /** The insurer's records under the submission's own name, or its error; null if it has no such query. */
  referred: readonly object[] | Error | null;
  calls: UpstreamCall[];
  /** How often a query asked whether it may send a request. */
  asked: number;
  stopping: AbortController;
  endpoints: Map<string, Endpoint>;
  /** Queries the insurer for one submission, and gives whether it answered. */
  readonly reconcile: (
    record: SubmissionRecord,
    more?: Partial<ReconcileParts>,
  ) => Promise<boolean>;
  /** A submission whose outcome is unknown, as it is stored. */
  readonly unknown: (
    more?: Parameters<typeof sampleSubmission>[0],
    stored?: MatchFields,
  ) => Promise<SubmissionRecord>;
  readonly found: (id: string) => Promise<SubmissionRecord>;
  /** One that a query has not found already, after the time that the insurer needs. */
  readonly missed: (record: SubmissionRecord) => Promise<SubmissionRecord>;
}

/** The state that each test starts with. */
function fresh(): Omit<QueryWorld, "store" | "reconcile" | "unknown" | "found" | "missed"> {
  return {
    log: writeLog(),
    now: UNKNOWN_AT + 3 * SECOND,
    moved: 0,
    listed: [],
    referred: null,
    calls: [],
    asked: 0,
    stopping: new AbortController(),
    endpoints: new Map<string, Endpoint>([
      ["createApplication", createApplication],
      ["searchApplications", searchApplications],
    ]),
  };
}

/** Opens the store for the tests of a file, and sets everything else back before each. */
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
      await store.postpone(record, momentAt(SETTLED_AT), PROVEN_AT, SETTLED_AT);
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
      }) as unknown as ProviderRoute; // all that a query uses
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
    const mayAsk = async (): Promise<void> => {
      world.asked += 1;
    };
    return (await query(record, { mayAsk, probe: true })) === "answered";
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

/** The answer that is stored with a submission. */
export function storedIn(record: SubmissionRecord): StoredAnswer {
  const { answer, id, keyId } = record;
  return decryptAnswer(encryption, id, answer ?? new Uint8Array(), keyId ?? "");
}

let count = 0;
/** The application as the insurer lists it. */
export function item(more: object = {}): { readonly applicationId: string } {
  count += 1;
  const at = new Date(RECEIVED_AT + SECOND).toISOString();
  const added = { applicationId: `R-${count}`, createdAt: at, updatedAt: at };
  return { ...listedApplication(body, added), ...more };
}

/** The content of another application. */
export const otherVehicle: object = { vehicle: { plateNumber: "XXX-9999" } };
