import type { Endpoint } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import {
  lookUpModels,
  openInsurer,
  type ReloadableInsurer,
  readModels,
} from "./reloadable-insurer.ts";

const createModel: Endpoint = {
  ...readModels,
  kind: "submission",
  method: "POST",
  reconcile: { endpoint: "searchModels", parameters: {}, createdAt: "/createdAt" },
};

describe("an account of the store that has changed", () => {
  it("is read again, and its own answers of lookups are asked for again; no other account's are", async () => {
    const { call, calls, insurer, reads } = await openInsurer();
    for (const account of ["stored", "other"]) await call(account, lookUpModels);
    insurer.accountChanged("stored");
    const before = calls();
    await call("other", lookUpModels);
    expect(calls() - before).toBe(0);
    await call("stored", lookUpModels);
    expect(calls() - before).toBe(1);
    expect(reads).toEqual(["stored", "other", "stored"]);
  });
});

it("the answers of lookups that are dropped are counted, and asked for again", async () => {
  const { call, calls, insurer } = await openInsurer();
  for (const account of ["default", "stored"]) await call(account, lookUpModels);
  expect([insurer.dropLookups(), insurer.dropLookups()]).toEqual([2, 0]);
  await call("default", lookUpModels);
  expect(calls()).toBe(3);
});

it.each([
  ["as it declares", undefined, 600_000],
  ["as the operator says, where that is shorter", 5, 300_000],
  ["as it declares, where that is shorter", 20, 600_000],
])("a lookup is answered from memory for as long %s", async (_, freshMinutes, milliseconds) => {
  const isFromMemory = async (after: number): Promise<boolean> => {
    const { call, pass } = await openInsurer(freshMinutes);
    await call("default", lookUpModels);
    pass(after);
    const { headers } = await call("default", lookUpModels);
    return String(headers["cache-status"]).includes("hit");
  };
  expect(await isFromMemory(milliseconds - 1)).toBe(true);
  expect(await isFromMemory(milliseconds)).toBe(false);
});

it("a call says how long it waited for the insurer, and an answer from memory that it did not", async () => {
  const { call, waits } = await openInsurer();
  const begun = performance.now();
  await call("default", lookUpModels);
  const took = performance.now() - begun;
  expect(waits).toEqual([expect.toSatisfy((waited: number) => waited > 0 && waited <= took)]);
  await call("default", lookUpModels);
  expect(waits.slice(1)).toEqual([0]);
});

it.each([
  ["is answered", 200],
  ["fails", 503],
])("a fault while the wait is recorded fails only its own call, which %s", async (_, status) => {
  const { answerWith, call } = await openInsurer();
  const fault = new TypeError("fault");
  answerWith(status);
  const failing = call("default", lookUpModels, (milliseconds) => {
    if (milliseconds > 0) throw fault;
  });
  await expect(failing).rejects.toBe(fault);
  answerWith(200);
  expect(await call("default", lookUpModels)).toMatchObject({ status: 200 });
});

describe("an account whose credentials the insurer refuses", () => {
  /** Has the insurer refuse a submission of the default account. */
  const refuse = async (): Promise<ReloadableInsurer> => {
    const opened = await openInsurer();
    await opened.call("filed");
    // Not with a token: another one would be fetched, and tried.
    await opened.reload("first", { key: "old" });
    opened.answerWith(401);
    await expect(opened.call("default", createModel)).rejects.toBeInstanceOf(Refusal);
    opened.answerWith(200);
    return opened;
  };

  it("is reported as refused, and no other", async () => {
    const { insurer } = await refuse();
    expect(insurer.traffic().refusedAccounts).toEqual(["default"]);
  });

  it("gets no submission for ten seconds while its credentials are the same", async () => {
    const { call, calls, pass } = await refuse();
    const before = calls();
    pass(9_999);
    await expect(call("default", createModel)).rejects.toMatchObject({
      code: "PROVIDER_AUTH_FAILED",
      facts: { outcome: "not_sent" },
    });
    expect(calls() - before).toBe(0);
    pass(1);
    await call("default", createModel);
    expect(calls() - before).toBe(1);
  });

  it("gets submissions at once when a reload brings other credentials", async () => {
    const { call, calls, insurer, reload } = await refuse();
    const before = calls();
    await reload("first", { key: "new" });
    await call("default", createModel);
    expect(calls() - before).toBe(1);
    expect(insurer.traffic().refusedAccounts).toEqual([]);
  });
});
