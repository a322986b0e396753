import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  account,
  type Brokers,
  CLAIM,
  KEY_HEADER,
  keyIn,
  startBrokers,
} from "../harness/brokers.ts";
import { oneFound } from "../harness/site.ts";
import { reloadNow } from "./settled.ts";

const north = { tenant: "north" };

/** Returns an account of the tenant north whose API key is in a file. */
const northWith = (file: string, more: object = {}): object => ({
  ...account("north", "north"),
  credentials: { type: "apiKey", header: KEY_HEADER, value: { file } },
  ...more,
});

let brokers: Brokers;
const write = (name: string, text: string): void =>
  writeFileSync(join(brokers.folder.path, name), text);

/** Writes other accounts into the configuration file, and makes the gateway reload the file. */
function reloadWith(...list: readonly object[]): ReturnType<Brokers["gateway"]["reload"]> {
  const file = join(brokers.folder.path, "gateway.config.json");
  const before: object = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...before, accounts: { claim: CLAIM, list } }));
  return reloadNow(brokers.gateway, brokers.time);
}

beforeEach(async () => {
  const folder = makeGatewayFolder();
  writeFileSync(join(folder.path, "first.txt"), "first");
  const accounts = { claim: CLAIM, list: [northWith("first.txt")] };
  brokers = await startBrokers(accounts, oneFound, { parts: { folder } });
});
afterEach(() => brokers.stop());

describe("reloads of accounts in the file", () => {
  it("a reload applies an account's new secret, credentials and quotas", async () => {
    await brokers.ask(north);
    write("first.txt", "second");
    expect(await reloadNow(brokers.gateway, brokers.time)).toEqual({
      result: "applied",
      changed: ["accounts.list[0].credentials.value"],
    });
    await brokers.ask(north);
    write("other.txt", "third");
    const quotas = { requestsPerDay: 3 };
    expect(await reloadWith(northWith("other.txt", { quotas }))).toMatchObject({
      result: "applied",
    });
    expect((await brokers.ask(north)).status).toBe(200);
    expect((await brokers.ask(north)).status).toBe(429);
    expect(brokers.insurer.arrivals.map(keyIn)).toEqual(["first", "second", "third"]);
  });

  it("a reload is refused completely if an account was added, removed or given to another tenant", async () => {
    write("south.txt", "south");
    const south = {
      ...account("south", "south"),
      credentials: { type: "apiKey", header: KEY_HEADER, value: { file: "south.txt" } },
    };
    const faults = [expect.stringContaining("needs a new process")];
    expect(await reloadWith(northWith("first.txt"), south)).toEqual({ result: "refused", faults });
    const moved = northWith("south.txt", { id: "moved" });
    expect(await reloadWith(moved)).toEqual({ result: "refused", faults });
    await brokers.ask(north);
    expect(brokers.insurer.arrivals.map(keyIn)).toEqual(["first"]);
  });
});
