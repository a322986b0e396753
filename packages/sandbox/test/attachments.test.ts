import { describe, expect, it } from "vitest";
import { createAttachments } from "../src/attachments.ts";

describe("attachments", () => {
  const minutes = (count: number): number => count * 60_000;

  it("lapse when a gateway has not been heard of for ten minutes", () => {
    let now = 0;
    const attachments = createAttachments(() => new Date(now));
    attachments.attach("one");
    now = minutes(9);
    expect(attachments.abandoned()).toBe(false);
    attachments.attach("one");
    now = minutes(18);
    expect(attachments.abandoned()).toBe(false);
    now = minutes(20);
    expect(attachments.abandoned()).toBe(true);
  });

  it("end with the last gateway, and not before", () => {
    const attachments = createAttachments(() => new Date(0));
    attachments.attach("one");
    attachments.attach("other");
    attachments.detach("one");
    expect(attachments.abandoned()).toBe(false);
    attachments.detach("other");
    expect(attachments.abandoned()).toBe(true);
  });

  it("give a sandbox that nobody has attached to yet the same time", () => {
    let now = 0;
    const attachments = createAttachments(() => new Date(now));
    expect(attachments.abandoned()).toBe(false);
    now = minutes(11);
    expect(attachments.abandoned()).toBe(true);
  });
});
