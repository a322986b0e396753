import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Orders, orderAll, takeOrders } from "../../src/reload/control.ts";

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "control-"));
});
afterEach(() => rmSync(data, { recursive: true }));

const orders: Orders = {
  reload: async () => ({ result: "unchanged" }),
  dropLookups: async () => ({ dropped: 3 }),
};

it("a process answers an order until it stops, and a client that says nothing does not hold it up", async () => {
  const stop = await takeOrders(data, orders, { warn: () => {} });
  expect(await orderAll(data, "dropLookups")).toEqual([{ pid: process.pid, dropped: 3 }]);
  const [name = ""] = readdirSync(join(data, "serving"));
  const silent = connect(join(data, "serving", name));
  silent.on("error", () => {});
  await once(silent, "connect");
  const closed = once(silent, "close");
  await stop();
  await closed;
  expect(await orderAll(data, "dropLookups")).toEqual([]);
});
