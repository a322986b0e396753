import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import {
  lookUp,
  newSendable,
  OUTCOME_UNKNOWN,
  STORE_UNAVAILABLE,
  send,
} from "../harness/store-calls.ts";
import { fillUp } from "../harness/store-filling.ts";
import {
  type StoreInsurers,
  startStoreInsurers,
  submissionsAt,
} from "../harness/store-insurers.ts";
import { makeStoreFolder, type StoreFolder } from "../harness/store-places.ts";

let folder: StoreFolder;
let store: SubmissionStore;
let insurers: StoreInsurers;
let time: HeldTime;
let gateway: GatewayInProcess;
beforeEach(async () => {
  folder = makeStoreFolder();
  store = await openSqliteStore({ file: folder.file, mode: "serve", maximumPages: 60 });
  insurers = await startStoreInsurers();
  time = holdTime();
  // The test opens the store itself, because no configuration can limit the size of a store.
  gateway = await startInProcess(
    insurers.configuration,
    {},
    { time, openStore: async () => store },
  );
});
afterEach(async () => {
  await gateway.stop();
  await insurers.close();
  folder.remove();
});

async function makeSpace(filling: readonly string[]): Promise<void> {
  await Promise.all(filling.map((id) => store.withdraw(id)));
}

describe("a disk that is full before a submission", () => {
  it("the gateway sends no submission while the disk is full, and sends the repeated submission when there is space again", async () => {
    const sendable = newSendable();
    const filling = await fillUp(store);
    for (let attempt = 0; attempt < 3; attempt++) {
      const refused = await send(gateway, sendable);
      expect(refused.says).toBe(STORE_UNAVAILABLE);
      expect(refused.retryAfter).toBe("2");
    }
    expect(submissionsAt(insurers)).toEqual([]);
    expect((await lookUp(gateway)).says).toBe("200");

    await makeSpace(filling);
    const answered = await send(gateway, sendable);
    expect(answered).toMatchObject({ says: "201", replayed: false });
    expect(await send(gateway, sendable)).toEqual({ ...answered, replayed: true });
    expect(submissionsAt(insurers)).toHaveLength(1);
  });

  it("the gateway replays the answers to earlier submissions while the disk is full", async () => {
    const sendable = newSendable();
    const answered = await send(gateway, sendable);
    expect(answered.says).toBe("201");
    await fillUp(store);
    expect((await send(gateway, newSendable())).says).toBe(STORE_UNAVAILABLE);
    expect(await send(gateway, sendable)).toEqual({ ...answered, replayed: true });
    expect(submissionsAt(insurers)).toHaveLength(1);
  });
});

describe("a disk that fills up while the insurer has a submission", () => {
  it("the gateway does not return the insurer's answer until the disk has space to store the answer", async () => {
    const sendable = newSendable();
    let filling: readonly string[] = [];
    insurers.beforeAnswer(async () => {
      filling = await fillUp(store);
    });
    const first = await send(gateway, sendable);
    expect(first.says).toBe(OUTCOME_UNKNOWN);
    expect(first.text).not.toContain("D-000001");

    // The gateway tries to store the answer again every second, and does not return an answer that is not stored.
    await time.tick();
    expect((await send(gateway, sendable)).says).toMatch(/^409 SUBMISSION_IN_PROGRESS /);

    await makeSpace(filling);
    await time.tick();
    const answered = await send(gateway, sendable);
    expect(answered).toMatchObject({ says: "201", replayed: true });
    expect(JSON.parse(answered.text)).toMatchObject({ applicationId: "D-000001" });
    expect(submissionsAt(insurers)).toHaveLength(1);
  });
});
