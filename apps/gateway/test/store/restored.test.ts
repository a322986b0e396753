import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { type RunningPostgres, startPostgres } from "@insurance-gateway/running-postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { type RunInProcess, runsInProcess } from "../harness/command-line.ts";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { problemIn } from "../harness/problem.ts";
import { rowsIn } from "../harness/random-tables.ts";
import { newSendable, send, stateOf } from "../harness/store-calls.ts";
import {
  type StoreInsurers,
  startStoreInsurers,
  submissionsAt,
} from "../harness/store-insurers.ts";

const REFUSED = "503 STORE_UNAVAILABLE unknown after_check";

let server: RunningPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

let insurers: StoreInsurers;
let time: HeldTime;
let gateway: GatewayInProcess;
let environment: { readonly DATABASE_URL?: string };
let run: RunInProcess;
beforeEach(async () => {
  insurers = await startStoreInsurers();
  time = holdTime();
});
afterEach(async () => {
  await gateway.stop();
  await insurers.close();
});

async function start(place: typeof environment): Promise<void> {
  environment = place;
  gateway = await startInProcess(insurers.configuration, place, { time });
  run = runsInProcess({ folder: gateway.folder.path, address: "" });
}

async function startAgain(): Promise<void> {
  const { folder } = gateway;
  gateway = await startInProcess(insurers.configuration, environment, { time, folder });
}

/** Runs an operator's command, which must succeed. */
async function command(...words: readonly string[]): Promise<string> {
  const ended = await run(words, { environment });
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  return ended.stdout;
}

const pathOf = (name: string): string => join(gateway.folder.path, name);

/** Moves the store's files away, as an operator does before a restore. */
function moveFilesAway(): void {
  mkdirSync(pathOf("lost"));
  for (const name of readdirSync(pathOf("data")))
    if (name.startsWith("submissions.sqlite"))
      renameSync(join(pathOf("data"), name), join(pathOf("lost"), name));
}

describe.each(["a file", "PostgreSQL"])("a store in %s that may lack submissions", (kind) => {
  /** Makes a backup now, and returns a function that restores the backup after the gateway has ended. */
  async function restoreLater(): Promise<() => Promise<void>> {
    const place = { data: pathOf("data"), databaseUrl: environment.DATABASE_URL };
    if (place.databaseUrl === undefined) {
      await rowsIn(place, `VACUUM INTO '${pathOf("backup.sqlite")}'`);
      return async () => {
        moveFilesAway();
        await command("store", "restore", pathOf("backup.sqlite"));
      };
    }
    // PostgreSQL itself copies the database, as an operator does with PostgreSQL's tools.
    await gateway.end();
    const name = new URL(place.databaseUrl).pathname.slice(1);
    await rowsIn(
      { data: "", databaseUrl: server.url },
      `CREATE DATABASE "${name}_backup" TEMPLATE "${name}"`,
    );
    await startAgain();
    return async () => {
      environment = { DATABASE_URL: `${place.databaseUrl}_backup` };
      await command("submissions", "mark-restored");
    };
  }

  it("a gateway with a restored store answers known submissions and sends no new submissions until `accept-restore`", async () => {
    await start(kind === "a file" ? {} : { DATABASE_URL: await server.createDatabase() });
    const [known, lost] = [newSendable(), newSendable()];
    const answered = await send(gateway, known);
    const restore = await restoreLater();
    const lostAnswer = await send(gateway, lost);
    const lostKeyless = applicationBody();
    expect((await submitApplication(gateway, lostKeyless)).status).toBe(201);
    expect(submissionsAt(insurers)).toHaveLength(3);
    await gateway.end();
    await restore();
    await startAgain();

    expect(await send(gateway, known)).toEqual({ ...answered, replayed: true });
    expect((await send(gateway, lost)).says).toBe(REFUSED);
    expect(await problemIn(await submitApplication(gateway, lostKeyless))).toMatchObject({
      code: "STORE_UNAVAILABLE",
      outcome: "unknown",
      retry: "after_check",
      detail: expect.stringContaining("was restored from a backup or has lost files"),
    });
    const id = lostAnswer.location?.split("/").at(-1) ?? "";
    expect(await stateOf(gateway, id)).toBe(REFUSED);
    const invalid = await send(gateway, { ...lost, body: {} });
    expect(invalid.says).toBe("400 VALIDATION_FAILED unknown never");
    const metrics = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
    expect(metrics).toContain('store_state{state="restored"} 1');
    expect((await fetch(`${gateway.operationsAddress}/health/ready`)).status).toBe(200);
    expect(submissionsAt(insurers)).toHaveLength(3);

    const shown = await command("submissions", "accept-restore", "--show");
    expect(shown).toMatch(
      /The newest record of this store is from 20\d\d-.*Compare with each insurer/s,
    );
    expect((await send(gateway, lost)).says).toBe(REFUSED);
    const accepted = await command("submissions", "accept-restore");
    expect(accepted).toContain("Accepted.");
    expect(accepted).toMatch(/provider-d +default +1 +20\d\d-/);
    await time.tick();
    expect(gateway.log.join("")).toContain("the restored store was accepted");
    expect((await send(gateway, newSendable())).says).toBe("201");
    expect(submissionsAt(insurers)).toHaveLength(4);
    expect(await run(["submissions", "accept-restore"], { environment })).toMatchObject({
      code: 1,
      stderr: "This store was not restored, so there is nothing to accept.\n",
    });
  });

  it("a gateway refuses a store that was copied elsewhere, and after `mark-restored` answers only known submissions", async () => {
    await start(kind === "a file" ? {} : { DATABASE_URL: await server.createDatabase() });
    const known = newSendable();
    const answered = await send(gateway, known);
    await gateway.end();
    const target =
      kind === "a file" ? await server.createDatabase() : pathOf(join("other", "data"));
    const copied = await command("store", "copy", "--to", target);
    expect(copied).toMatch(/gateway_submissions +1 +[0-9a-f]{16}\n/);
    const refused = await run(["serve"], { environment });
    expect(refused).toMatchObject({ code: 78, stdout: "" });
    expect(refused.stderr).toContain("This store was copied to ");
    await command("submissions", "mark-restored");
    await startAgain();
    expect(await send(gateway, known)).toEqual({ ...answered, replayed: true });
    expect((await send(gateway, newSendable())).says).toBe(REFUSED);
    expect(existsSync(target)).toBe(kind === "PostgreSQL");
  });
});

describe("a gateway with a real insurer", () => {
  it("a gateway with a real insurer does not start with an empty data folder, and starts when the store is back", async () => {
    await start({});
    const sendable = newSendable();
    const answered = await send(gateway, sendable);
    await gateway.end();
    renameSync(pathOf("data"), pathOf("volume"));
    mkdirSync(pathOf("data"));
    const refused = await run(["serve"]);
    expect(refused).toMatchObject({ code: 78, stdout: "" });
    expect(refused.stderr).toContain("There is no store of submissions in ");
    expect(refused.stderr).toContain("`insurance-gateway store create`");
    expect(existsSync(join(pathOf("data"), "submissions.sqlite"))).toBe(false);

    renameSync(pathOf("data"), pathOf("empty"));
    renameSync(pathOf("volume"), pathOf("data"));
    const second = await run(["store", "create"]);
    expect(second).toMatchObject({ code: 78, stdout: "" });
    expect(second.stderr).toContain("has a store already; nothing was changed.");
    await startAgain();
    expect(await send(gateway, sendable)).toEqual({ ...answered, replayed: true });
  });
});
