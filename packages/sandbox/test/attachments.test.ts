import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { createAttachments, processIsAlive } from "../src/attachments.ts";

const minutes = (count: number): number => count * 60_000;

describe("gateways attached to a sandbox", () => {
  it("the sandbox is in use until the last gateway detaches", () => {
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

  it("the sandbox is not in use after its last running gateway detaches, even if another gateway was killed before", () => {
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

  it("the sandbox counts as abandoned more than ten minutes after the last attached gateway was killed", () => {
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

  it("the sandbox distinguishes a running process from an ended process", async () => {
    const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
    expect(processIsAlive(child.pid ?? 0)).toBe(true);
    await once(child, "close");
    expect(processIsAlive(child.pid ?? 0)).toBe(false);
    expect(processIsAlive(process.pid)).toBe(true);
  });
});
