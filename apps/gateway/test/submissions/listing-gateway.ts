import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { applicationBody, listedApplication, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

/** A requested page. */
export interface AskedPage {
  readonly start: number;
  readonly limit: number;
  /** Number of pages that were requested before this page. */
  readonly before: number;
}

/** A page of the insurer's answer. */
export interface ListedPage {
  readonly items: readonly object[];
  readonly start: number;
  readonly limit: number;
  readonly total: number | null;
}

/** A gateway, and an insurer that loses the answer to every submission and lists the items of `list`. */
export interface ListingGateway extends GatewayInProcess {
  readonly insurer: Insurer;
  readonly time: HeldTime;
  /** The requested pages. */
  readonly asked: readonly AskedPage[];
  /** The insurer's records, in the order of the insurer's list. Each page is a part of the list. */
  list: readonly object[];
  /** The total that each page states: the length of the whole list, the length of the page (a wrong total), or null. */
  total: "of the list" | "of the page" | "null";
  /** Function that is called before the insurer answers with a page. */
  beforePage: (page: AskedPage) => void;
  /** Returns the page to send instead of the usual page. */
  changePage: (page: ListedPage) => object | string;
  /** The gateway's store, for changes by another process or an operator. */
  readonly store: SubmissionStore;
  /** Submits an application whose answer is lost. Returns the body, and the address of the submission's state. */
  submitInVain(body?: object): Promise<{ readonly body: object; readonly address: string }>;
  /** Advances the time and runs the due tasks. */
  pass(milliseconds: number): Promise<void>;
  stateOf(address: string): Promise<unknown>;
  /** Returns an application as the insurer lists it, created `agoMs` ago. */
  listed(body: object, agoMs?: number): object;
}

/** Starts a gateway and its insurer. Stopping the gateway closes the insurer. */
export async function startListingGateway(
  breaker: object = { failuresInRow: 10_000, minCalls: 10_000 },
  queriesPerSecond = 1_000,
): Promise<ListingGateway> {
  const time = holdTime();
  const asked: AskedPage[] = [];
  const insurer = await startInsurer((response, { method, url }) => {
    if (method === "POST") return void response.destroy();
    const query = new URL(url, "http://insurer").searchParams;
    const start = Number(query.get("start"));
    const limit = Number(query.get("limit"));
    const page = { start, limit, before: asked.length };
    listing.beforePage(page);
    asked.push(page);
    const items = listing.list.slice(start - 1, start - 1 + limit);
    const totals = { "of the list": listing.list.length, "of the page": items.length, null: null };
    const total = totals[listing.total];
    json(200, listing.changePage({ items, start, limit, total }))(response, {
      method,
      url,
      headers: {},
      body: "",
    });
  });
  const providers = ["provider-d", "fleet"].map((segment) => ({
    ...insurerConfiguration("d", insurer.baseUrl),
    segment,
    breaker,
  }));
  const configuration = { providers, submissions: { queriesPerSecond } };
  const folder = makeGatewayFolder(configuration);
  const file = join(folder.path, "data", "submissions.sqlite");
  const store = await openSqliteStore({ file, mode: "serve" });
  // The store's running time begins at the clock's time.
  await store.countRunningTime(time.now(), Number.MAX_SAFE_INTEGER);
  const openStore = async (): Promise<SubmissionStore> => store;
  const gateway = await startInProcess(configuration, {}, { time, folder, openStore });
  let applications = 0;
  const listing: ListingGateway = {
    ...gateway,
    insurer,
    store,
    time,
    asked,
    list: [],
    total: "of the list",
    beforePage: () => {},
    changePage: (page) => page,
    async submitInVain(body = applicationBody()) {
      const headers = { "idempotency-key": randomUUID() };
      const { reconciliation } = await problemIn(await submitApplication(gateway, body, headers));
      return { body, address: String(Reflect.get(Object(reconciliation), "href")) };
    },
    async pass(milliseconds) {
      time.forward(milliseconds);
      await time.tick();
    },
    async stateOf(address) {
      const response = await gateway.ask(address);
      return Reflect.get(Object(await response.json()), "state");
    },
    listed(body, agoMs = 0) {
      applications += 1;
      return listedApplication(body, {
        applicationId: `D-${applications}`,
        createdAt: new Date(time.now() - agoMs).toISOString(),
        updatedAt: new Date(time.now()).toISOString(),
      });
    },
    async stop() {
      await gateway.stop();
      await insurer.close();
    },
  };
  return listing;
}
