import { expect, it } from "vitest";
import { lookUpModels, openInsurer } from "./reloadable-insurer.ts";

const accounts = ["default", "filed", "stored"];

it.each([
  ["unchanged settings", "first", []],
  ["changed settings of the provider", "second", ["stored"]],
])(
  "the gateway reads an account and fetches a token again after a reload only if the account's settings may have changed: %s",
  async (_, agency, again) => {
    const { call, fetches, reads, reload } = await openInsurer();
    for (const account of accounts) await call(account);
    expect([fetches, reads]).toEqual([
      ["own", "filed", "stored"],
      ["filed", "stored"],
    ]);
    await reload(agency);
    for (const account of accounts) await call(account);
    expect([fetches.slice(3), reads.slice(2)]).toEqual([again, again]);
  },
);

it("an account without own credentials and settings uses the credentials and settings of the provider", async () => {
  const { agencies, call, fetches } = await openInsurer();
  for (const account of ["default", "stored", "bare"]) await call(account);
  expect(fetches).toEqual(["own", "stored", "own"]);
  expect(agencies).toEqual(["first", "stored", "first"]);
});

it("an account of the configuration file uses the credentials of the new file after a reload", async () => {
  const { call, fetches, reload } = await openInsurer();
  await call("filed");
  await reload("first", { filed: "other" });
  await call("filed");
  expect(fetches).toEqual(["filed", "other"]);
});

it("the reported token age of an insurer is the age of the oldest token that the gateway has for the insurer", async () => {
  const { call, insurer, pass, reload } = await openInsurer();
  const tokenAgeMs = (): number | null => insurer.traffic().tokenAgeMs;
  expect(tokenAgeMs()).toBeNull();
  await call("default");
  pass(1_000);
  await call("filed");
  pass(500);
  expect(tokenAgeMs()).toBe(1_500);
  await reload("first");
  expect(tokenAgeMs(), "after a reload").toBe(1_500);
});

it.each([
  ["no change", "first", {}, []],
  ["the credentials of an account in the file", "first", { filed: "other" }, ["filed"]],
  ["the provider's credentials", "first", { own: "other" }, ["default"]],
  ["the provider's settings", "second", {}, accounts],
])(
  "a reload drops only the cached lookup answers that the change may affect: %s",
  async (_, agency, changed, again) => {
    const { call, calls, reload } = await openInsurer();
    for (const account of accounts) await call(account, lookUpModels);
    await reload(agency, changed);
    const askedAgain: string[] = [];
    for (const account of accounts) {
      const before = calls();
      await call(account, lookUpModels);
      if (calls() > before) askedAgain.push(account);
    }
    expect(askedAgain).toEqual(again);
  },
);
