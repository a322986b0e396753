import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { startPostgres } from "@insurance-gateway/running-postgres";
import { startFaultInjectingInsurer } from "@insurance-gateway/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeStore } from "../../src/store/exclusive-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import {
  applicationBody,
  createApplicationsInsurer,
  submitApplication,
} from "../harness/applications.ts";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { problemIn } from "../harness/problem.ts";
import { ONCE, sampleSubmission } from "../harness/store-samples.ts";

describe("a database that is unavailable when the gateway starts", () => {
  it("a gateway whose database is unavailable at the start refuses only submissions until the database is back", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.remove());
    await makeStore({ data: "", databaseUrl: server.url });
    await server.stop();
    const insurer = await startFaultInjectingInsurer(createApplicationsInsurer());
    onTestFinished(() => insurer.close());
    const time = holdTime();
    const providers = [insurerConfiguration("d", insurer.baseUrl)];
    const gateway = await startInProcess({ providers }, { DATABASE_URL: server.url }, { time });
    onTestFinished(() => gateway.stop());
    const authorization = `Bearer ${gateway.token}`;
    const search = `${gateway.address}/provider-d/applications/search?clientAfm=123456789`;
    expect((await fetch(search, { headers: { authorization } })).status).toBe(200);

    const headers = { "idempotency-key": randomUUID() };
    const body = applicationBody();
    const refused = await submitApplication(gateway, body, headers);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("2");
    expect(await problemIn(refused)).toMatchObject({
      code: "STORE_UNAVAILABLE",
      outcome: "unknown",
      retry: "same_key",
    });
    const status = await fetch(`${gateway.address}/submissions/${randomUUID()}`, {
      headers: { authorization },
    });
    expect(status.status).toBe(503);

    await server.start();
    await time.tick();
    expect((await submitApplication(gateway, body, headers)).status).toBe(201);
  });
});

describe("a store whose thread dies", () => {
  it("an SQLite store whose thread has died starts a new thread for the next operation, and has all stored data", async () => {
    const folder = mkdtempSync(join(tmpdir(), "insurance-gateway-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const threads: Worker[] = [];
    const noteThread = (thread: Worker): void => void threads.push(thread);
    process.on("worker", noteThread);
    onTestFinished(() => void process.off("worker", noteThread));
    const store = await openSqliteStore({
      file: join(folder, "submissions.sqlite"),
      mode: "serve",
    });
    onTestFinished(() => store.close());
    const submission = sampleSubmission();
    await store.claim(submission, ONCE);
    for (let death = 1; death <= 2; death++) {
      await threads.at(-1)?.terminate();
      expect(await store.find(submission.id), `after death ${death}`).toMatchObject({
        id: submission.id,
        state: "in_flight",
      });
      expect(threads).toHaveLength(death + 1);
    }
    expect(await store.claim(sampleSubmission(), ONCE)).toEqual({ claimed: true });
  });
});
