import { existsSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { failureOf, submit } from "../harness/calls.ts";
import { CONFIRMED, startInsurer } from "../harness/started-insurer.ts";
import { temporaryFile } from "../harness/temporary-folder.ts";
import { turn } from "../harness/turn.ts";

describe("closing a test insurer", () => {
  it("closing a test insurer keeps the given log file and frees the port", async () => {
    const log = temporaryFile();
    const insurer = await startInsurer({ log });
    await submit(insurer.baseUrl);
    await insurer.close();
    await insurer.close();
    expect(existsSync(log)).toBe(true);
    expect(insurer.arrivals()).toHaveLength(1);
    expect(await failureOf(submit(insurer.baseUrl))).toMatchObject({ detail: "ECONNREFUSED" });
  });

  it("a test insurer can close while it refuses connections and has unfinished work", async () => {
    const held = Promise.withResolvers<typeof CONFIRMED>();
    const insurer = await startInsurer({ execute: () => held.promise });
    const arrived = insurer.nextArrival();
    const failure = failureOf(submit(insurer.baseUrl));
    await arrived;
    await insurer.behave("refuse");
    await insurer.close();
    held.resolve(CONFIRMED);
    expect(await failure).toMatchObject({ phase: "wait" });
    expect(insurer.executed).toEqual([1]);
  });

  it("a closed test insurer refuses new instructions and keeps the port closed", async () => {
    const insurer = await startInsurer();
    const closed = insurer.close();
    await expect(insurer.behave(null)).rejects.toThrow("The insurer is closed");
    expect(() => insurer.script(null)).toThrow("The insurer is closed");
    await closed;
    await expect(insurer.behave("refuse")).rejects.toThrow("The insurer is closed");
    expect(await failureOf(submit(insurer.baseUrl))).toMatchObject({ detail: "ECONNREFUSED" });
  });

  it("closing a test insurer waits until earlier instructions have taken effect", async () => {
    const insurer = await startInsurer();
    await insurer.behave("refuse");
    await Promise.all([insurer.behave(null), insurer.close()]);
    expect(await failureOf(submit(insurer.baseUrl))).toMatchObject({ detail: "ECONNREFUSED" });
  });

  it("closing a test insurer rejects the promises of `nextArrival` that wait for a request", async () => {
    const insurer = await startInsurer();
    const waiting = insurer.nextArrival();
    await insurer.close();
    await expect(waiting).rejects.toThrow("The insurer is closed");
    await expect(insurer.nextArrival()).rejects.toThrow("The insurer is closed");
  });

  it("closing a test insurer causes no unhandled rejection even if a promise of `nextArrival` has no handler", async () => {
    const unhandled = vi.fn<() => void>();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const insurer = await startInsurer();
    void insurer.nextArrival();
    await insurer.close();
    await turn();
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("a second call of a test insurer's `close` rejects with the error of the first call", async () => {
    const insurer = await startInsurer({
      execute() {
        throw new RangeError("No such tariff");
      },
    });
    await failureOf(submit(insurer.baseUrl));
    await expect(insurer.close()).rejects.toThrow("No such tariff");
    await expect(insurer.close()).rejects.toThrow("No such tariff");
  });
});
