import { expect, it } from "vitest";
import { lookUpModels, openInsurer } from "./reloadable-insurer.ts";

const accounts = ["default", "filed", "stored"];

it.each([
  ["changes nothing of it leaves every account as it is", "first", []],
  ["changes the provider's settings opens those of the store again", "second", ["stored"]],
])("a reload that %s, with its token", async (_, agency, again) => {
  const { call, fetches, reads, reload } = await openInsurer();
  for (const account of accounts) await call(account);
  expect([fetches, reads]).toEqual([
    ["own", "filed", "stored"],
    ["filed", "stored"],
  ]);
  await reload(agency);
  for (const account of accounts) await call(account);
  expect([fetches.slice(3), reads.slice(2)]).toEqual([again, again]);
});

it("an account has the insurer's credentials and settings where it has none of its own", async () => {
  const { agencies, call, fetches } = await openInsurer();
  for (const account of ["default", "stored", "bare"]) await call(account);
  expect(fetches).toEqual(["own", "stored", "own"]);
  expect(agencies).toEqual(["first", "stored", "first"]);
});

it("an account of the file has the file's settings after a reload", async () => {
  const { call, fetches, reload } = await openInsurer();
  await call("filed");
  await reload("first", { filed: "other" });
  await call("filed");
  expect(fetches).toEqual(["filed", "other"]);
});

it("the age of an insurer's token is that of the oldest", async () => {
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
  ["nothing", "first", {}, []],
  ["the credentials of an account of the file", "first", { filed: "other" }, ["filed"]],
  ["the insurer's own credentials", "first", { own: "other" }, ["default"]],
  ["the provider's settings", "second", {}, accounts],
])(
  "a reload that changes %s drops the answers of lookups that may depend on it",
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
