import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { createAttachments, processIsAlive } from "../src/attachments.ts";

const minutes = (count: number): number => count * 60_000;

describe("attachments", () => {
  it("hold the sandbox as long as one of the gateways lives", () => {
    const alive = new Set([1, 2]);
    const attachments = createAttachments(
      () => new Date(0),
      (processId) => alive.has(processId),
    );
    attachments.attach(1);
    attachments.attach(2);
    attachments.detach(1);
    expect(attachments.inUse()).toBe(true);
    attachments.detach(2);
    expect(attachments.inUse()).toBe(false);
  });

  it("an attachment of a killed gateway does not keep the sandbox running when the next one detaches", () => {
    const alive = new Set([1]);
    const attachments = createAttachments(
      () => new Date(0),
      (processId) => alive.has(processId),
    );
    attachments.attach(1);
    alive.clear();
    alive.add(2);
    attachments.attach(2);
    attachments.detach(2);
    expect(attachments.inUse()).toBe(false);
  });

  it("leave a gateway that was killed ten minutes to come back", () => {
    let now = 0;
    let alive = true;
    const attachments = createAttachments(
      () => new Date(now),
      () => alive,
    );
    attachments.attach(1);
    now = minutes(60);
    expect(attachments.abandoned()).toBe(false);
    alive = false;
    now = minutes(69);
    expect(attachments.abandoned()).toBe(false);
    now = minutes(71);
    expect(attachments.abandoned()).toBe(true);
  });

  it("attachments tell a running process from an ended one", async () => {
    const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
    expect(processIsAlive(child.pid ?? 0)).toBe(true);
    await once(child, "close");
    expect(processIsAlive(child.pid ?? 0)).toBe(false);
    expect(processIsAlive(process.pid)).toBe(true);
  });
});
