import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreRefusedError } from "../../src/store/faults.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { lookUp, newSendable, STORE_UNREADABLE, send, stateOf } from "../harness/store-calls.ts";
import {
  type StoreInsurers,
  startStoreInsurers,
  submissionsAt,
} from "../harness/store-insurers.ts";
import { makeStoreFolder, type StoreFolder } from "../harness/store-places.ts";

describe("a gateway with an SQLite store", () => {
  let time: HeldTime;
  let insurers: StoreInsurers;
  let gateway: GatewayInProcess;
  beforeEach(async () => {
    time = holdTime();
    insurers = await startStoreInsurers();
    gateway = await startInProcess(insurers.configuration, {}, { time });
  });
  afterEach(async () => {
    await gateway.stop();
    await insurers.close();
  });

  const pathOf = (suffix: string): string =>
    join(gateway.configuration().data, `submissions.sqlite${suffix}`);
  const readiness = async (): Promise<number> =>
    (await fetch(`${gateway.operationsAddress}/health/ready`)).status;
  const storeState = async (): Promise<string | undefined> =>
    /store_state\{state="(\w+)"\} 1/.exec(
      await (await fetch(`${gateway.operationsAddress}/metrics`)).text(),
    )?.[1];

  it("the gateway starts even if the store's file cannot be opened, and accepts submissions as soon as the file can be opened", async () => {
    const sendable = newSendable();
    const answered = await send(gateway, sendable);
    await gateway.end();
    mkdirSync(pathOf("-wal"));
    const { folder } = gateway;
    gateway = await startInProcess(insurers.configuration, {}, { time, folder });
    expect((await send(gateway, sendable)).says).toBe(STORE_UNREADABLE);
    expect((await lookUp(gateway)).says).toBe("200");
    expect(await storeState()).toBe("unavailable");
    expect(gateway.log.join("")).toContain('"detail":"SQLITE_CANTOPEN"');

    rmSync(pathOf("-wal"), { recursive: true });
    await time.tick();
    expect(await send(gateway, sendable)).toEqual({ ...answered, replayed: true });
    expect(submissionsAt(insurers)).toHaveLength(1);
  });

  it.each(["", "-wal", "-shm", ".count", ".lock"])(
    "the gateway refuses submissions while the file submissions.sqlite%s is moved away, and accepts submissions afterwards",
    async (suffix) => {
      const sendable = newSendable();
      const answered = await send(gateway, sendable);
      const path = pathOf(suffix);
      renameSync(path, `${path}.moved`);
      const refused = await send(gateway, newSendable());
      expect(refused.status).toBe(503);
      expect(refused.text).toContain(
        "were removed, replaced or overwritten, or have another hard link. Its operator has to undo that and, if they were overwritten, to restart the gateway.",
      );
      const id = answered.location?.split("/").at(-1) ?? "";
      expect(await stateOf(gateway, id)).toBe("503 STORE_UNAVAILABLE not_sent safe");
      expect((await lookUp(gateway)).says).toBe("200");
      await time.tick();
      expect(await readiness()).toBe(503);
      expect(await storeState()).toBe("files_moved");
      expect(gateway.log.join("")).toContain(
        "the files of the store were removed, replaced, overwritten or linked",
      );

      renameSync(`${path}.moved`, path);
      await time.tick();
      expect(await send(gateway, sendable)).toEqual({ ...answered, replayed: true });
      expect(await readiness()).toBe(200);
      expect(submissionsAt(insurers)).toHaveLength(1);
    },
  );

  it("the gateway refuses submissions after the store's file was replaced by a copy", async () => {
    copyFileSync(pathOf(""), pathOf(".copy"));
    renameSync(pathOf(".copy"), pathOf(""));
    expect((await send(gateway, newSendable())).status).toBe(503);
    expect(submissionsAt(insurers)).toEqual([]);
  });

  it("the gateway reports `unknown` if the store's file was removed while the insurer processed the submission", async () => {
    insurers.beforeAnswer(async () => rmSync(pathOf("")));
    expect((await send(gateway, newSendable())).says).toBe("504 OUTCOME_UNKNOWN unknown same_key");
  });
});

describe("a store's file with several paths", () => {
  let folder: StoreFolder;
  let store: SubmissionStore;
  beforeEach(async () => {
    folder = makeStoreFolder();
    store = await openSqliteStore({ file: folder.file, mode: "serve" });
  });
  afterEach(async () => {
    await store.close();
    folder.remove();
  });
  const beside = (name: string): string => join(dirname(folder.file), "..", name);

  it.each([
    { name: "a link to the folder", link: () => symlinkSync(dirname(folder.file), beside("b")) },
    {
      name: "a link to the file",
      link() {
        mkdirSync(beside("b"));
        symlinkSync(folder.file, join(beside("b"), "submissions.sqlite"));
      },
    },
  ])("a second process cannot open a store's file in use through $name", async ({ link }) => {
    link();
    const file = join(beside("b"), "submissions.sqlite");
    await expect(openSqliteStore({ file, mode: "serve" })).rejects.toThrow(
      new StoreRefusedError(
        `Another gateway serves from ${folder.file}, and only one process at a time can. Stop that gateway first. Several processes need PostgreSQL (DATABASE_URL).`,
      ),
    );
    const command = await openSqliteStore({ file, mode: "beside" });
    expect(await command.list(["in_flight"], 1)).toEqual([]);
    await command.close();
  });

  it("a process cannot open a store's file that has a second hard link", async () => {
    await store.close();
    mkdirSync(beside("b"));
    const file = join(beside("b"), "submissions.sqlite");
    linkSync(folder.file, file);
    await expect(openSqliteStore({ file, mode: "serve" })).rejects.toThrow("has 2 hard links");
  });
});
