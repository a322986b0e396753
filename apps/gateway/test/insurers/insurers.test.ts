import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sandboxConfiguration } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sendToProcesses } from "../../src/reload/control.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";

const found = { items: [] };
const paths = ["/provider-a/auto/brands", "/provider-b/countries"];

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer(json(200, found));
  const answers = { freshMinutes: 60 };
  const providers = ["a", "b"].map((letter) => ({
    ...insurerConfiguration(letter, insurer.baseUrl),
    answers,
    bulkhead: { running: 1 },
  }));
  gateway = await startInProcess({ providers });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

async function ask(path: string): Promise<number> {
  const response = await gateway.ask(path);
  await response.arrayBuffer();
  return response.status;
}

it("the drop of all insurers' cached lookup answers returns the number of dropped answers, and the next lookups query the insurers", async () => {
  for (const path of [...paths, ...paths]) expect(await ask(path)).toBe(200);
  expect(insurer.arrivals).toHaveLength(2);
  const { data } = gateway.configuration();
  const { pid } = process;
  expect(await sendToProcesses(data, "dropLookups")).toEqual([{ pid, dropped: 2 }]);
  expect(await sendToProcesses(data, "dropLookups")).toEqual([{ pid, dropped: 0 }]);
  for (const path of paths) expect(await ask(path)).toBe(200);
  expect(insurer.arrivals).toHaveLength(4);
});

it("the gateway reports the used slots and connections of each insurer while calls run", async () => {
  const answers: (() => void)[] = [];
  insurer.behaviour = (response, arrival) =>
    void answers.push(() => json(200, found)(response, arrival));
  await sendToProcesses(gateway.configuration().data, "dropLookups");
  const arrival = insurer.nextArrival();
  const calls = [ask(`${paths[0]}`)];
  await arrival;
  const nothing = { running: 0, queued: 0, connections: 0 };
  expect(gateway.inUse()).toEqual([
    { segment: "provider-a", running: 1, queued: 0, connections: 1 },
    { segment: "provider-b", ...nothing },
  ]);
  for (const answer of answers) answer();
  expect(await Promise.all(calls)).toEqual([200]);
  expect(gateway.inUse()).toEqual([
    { segment: "provider-a", ...nothing },
    { segment: "provider-b", ...nothing },
  ]);
});

it("the sandbox process ends when the only gateway that uses it stops", async () => {
  const [a] = sandboxConfiguration.providers;
  const simulated = await startInProcess({ providers: [a] });
  const { data } = simulated.configuration();
  const { address } = JSON.parse(readFileSync(join(data, "sandbox", "address.json"), "utf8"));
  const isThere = (): Promise<boolean> =>
    fetch(`${address}/-/`).then(
      () => true,
      () => false,
    );
  expect(await isThere()).toBe(true);
  await simulated.end();
  await expect.poll(isThere).toBe(false);
  await simulated.stop();
});
