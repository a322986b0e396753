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

describe("a changed account of the store", () => {
  it("the gateway reads an account of the store again after a change, and drops only the cached answers of this account", async () => {
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

it("the drop of an insurer's cached answers returns the number of dropped answers, and the next lookup queries the insurer", async () => {
  const { call, calls, insurer } = await openInsurer();
  for (const account of ["default", "stored"]) await call(account, lookUpModels);
  expect([insurer.dropLookups(), insurer.dropLookups()]).toEqual([2, 0]);
  await call("default", lookUpModels);
  expect(calls()).toBe(3);
});

it.each([
  ["declared time only", undefined, 600_000],
  ["operator's time, which is shorter", 5, 300_000],
  ["declared time, which is shorter", 20, 600_000],
])(
  "the gateway answers a lookup from memory for the declared time or the operator's time, whichever is shorter: %s",
  async (_, freshMinutes, milliseconds) => {
    const isFromMemory = async (after: number): Promise<boolean> => {
      const { call, pass } = await openInsurer(freshMinutes);
      await call("default", lookUpModels);
      pass(after);
      const { headers } = await call("default", lookUpModels);
      return String(headers["cache-status"]).includes("hit");
    };
    expect(await isFromMemory(milliseconds - 1)).toBe(true);
    expect(await isFromMemory(milliseconds)).toBe(false);
  },
);

it("a call reports how long it waited for the insurer, and reports no wait if the answer was cached", async () => {
  const { call, waits } = await openInsurer();
  const begun = performance.now();
  await call("default", lookUpModels);
  const took = performance.now() - begun;
  expect(waits).toEqual([expect.toSatisfy((waited: number) => waited > 0 && waited <= took)]);
  await call("default", lookUpModels);
  expect(waits.slice(1)).toEqual([0]);
});

it.each([
  ["a call that the insurer answers", 200],
  ["a call that fails at the insurer", 503],
])(
  "an error in the function to which a call reports its waiting time fails only that call: %s",
  async (_, status) => {
    const { answerWith, call } = await openInsurer();
    const fault = new TypeError("fault");
    answerWith(status);
    const failing = call("default", lookUpModels, (milliseconds) => {
      if (milliseconds > 0) throw fault;
    });
    await expect(failing).rejects.toBe(fault);
    answerWith(200);
    expect(await call("default", lookUpModels)).toMatchObject({ status: 200 });
  },
);

describe("an account whose credentials the insurer refuses", () => {
  /** Makes the insurer refuse a submission of the default account. */
  const refuse = async (): Promise<ReloadableInsurer> => {
    const opened = await openInsurer();
    await opened.call("filed");
    // The account has an API key, because the gateway would replace a refused token by a new one and try again.
    await opened.reload("first", { key: "old" });
    opened.answerWith(401);
    await expect(opened.call("default", createModel)).rejects.toBeInstanceOf(Refusal);
    opened.answerWith(200);
    return opened;
  };

  it("the state of an insurer lists the account whose credentials the insurer refuses, and no other account", async () => {
    const { insurer } = await refuse();
    expect(insurer.traffic().refusedAccounts).toEqual(["default"]);
  });

  it("the gateway sends no submission of an account for ten seconds after the insurer refused the account's credentials", async () => {
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

  it("the gateway sends an account's submissions again as soon as a reload has replaced the refused credentials", async () => {
    const { call, calls, insurer, reload } = await refuse();
    const before = calls();
    await reload("first", { key: "new" });
    await call("default", createModel);
    expect(calls() - before).toBe(1);
    expect(insurer.traffic().refusedAccounts).toEqual([]);
  });
});
