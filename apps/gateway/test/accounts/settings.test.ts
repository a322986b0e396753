import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { account, CLAIM } from "../harness/brokers.ts";
import { startInProcess } from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { json } from "../harness/insurer.ts";
import { installPackage } from "../harness/provider-package.ts";
import { reloadNow } from "../reload/settled.ts";
import { ADAPTER, ISSUER, insurerAt, PACKAGE, start, toM } from "./provider-m.ts";
import { administer, storing, storingEnvironment } from "./stored-accounts.ts";

describe("an account's settings", () => {
  it("the gateway combines the provider's settings with an account's settings, and the account's settings take precedence", async () => {
    const { ask, insurer } = await start(
      [
        toM("north", { settings: { agency: { env: "AGENCY" } } }),
        toM("south", { settings: { agency: "S-1", channel: "phone" } }),
      ],
      { settings: { channel: "web" } },
    );
    expect([await ask("north"), await ask("south"), await ask("north")]).toEqual([200, 200, 200]);
    expect(insurer.arrivals.map(({ url }) => url)).toEqual([
      "/api/N-1/web/models",
      "/api/S-1/phone/models",
      "/api/N-1/web/models",
    ]);
  });
});

it("an account without credentials uses the sandbox's credentials if the insurer is simulated", async () => {
  const { credentials: _, ...bare } = Object(account("north", "north", { issuer: ISSUER }));
  const gateway = await startInProcess({
    providers: [{ package: "@insurance-gateway/provider-d", upstream: "sandbox" }],
    accounts: { claim: CLAIM, list: [bare] },
    reference: { served: false },
  });
  onTestFinished(() => gateway.stop());
  const token = await gateway.tokenFor("tester", { [CLAIM]: "north" });
  const search = `${gateway.address}/provider-d/applications/search?clientAfm=123456789`;
  const answer = await fetch(search, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
});

it("accounts in the store use the provider's new settings after a reload", async () => {
  const insurer = await insurerAt();
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE, ADAPTER);
  const settings = { agency: "X", channel: "web" };
  const upstream = { baseUrl: insurer.baseUrl };
  const time = holdTime();
  const gateway = await startInProcess(
    {
      providers: [{ package: "provider-m", upstream, settings }],
      ...storing(["one"]),
    },
    storingEnvironment,
    { folder, time },
  );
  onTestFinished(() => gateway.stop());
  const added = await administer(gateway, "POST /accounts", {
    ...toM("north"),
    credentials: { type: "none" },
    settings: { agency: "N-1" },
  });
  expect(added.status).toBe(201);
  await time.tick();
  const ask = async (): Promise<number> => {
    const token = await gateway.tokenFor("tester", { [CLAIM]: "north" });
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${gateway.address}/provider-m/models`, { headers })).status;
  };
  expect(await ask()).toBe(200);
  const file = join(folder.path, "gateway.config.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"web"', '"phone"'));
  expect(await reloadNow(gateway, time)).toMatchObject({ result: "applied" });
  expect(await ask()).toBe(200);
  expect(insurer.arrivals.map(({ url }) => url)).toEqual([
    "/api/N-1/web/models",
    "/api/N-1/phone/models",
  ]);
});

it("an account never receives another account's cached answer to a lookup that is declared `perAccount`", async () => {
  const settings = { agency: "X", channel: "web" };
  const answers = { freshMinutes: 60 };
  const { ask, insurer } = await start([toM("north"), toM("south")], { answers, settings });
  expect([await ask("north", "products"), await ask("north", "models")]).toEqual([200, 200]);
  insurer.behaviour = json(500, {});
  expect([await ask("north", "products"), await ask("north", "models")]).toEqual([200, 200]);
  expect([await ask("south", "products"), await ask("south", "models")]).toEqual([502, 200]);
});
