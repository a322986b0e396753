import {
  developmentToken,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { expect, it } from "vitest";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { json, startInsurer } from "../harness/insurer.ts";
import { startSteadyLoad } from "./steady-load.ts";

it("a gateway that ends after SIGTERM answers every request that it has accepted, at 200 requests a second", async () => {
  const insurer = await startInsurer((response, arrival) => {
    setTimeout(() => json(200, { items: [] })(response, arrival), 20);
  });
  const folder = makeGatewayFolder({
    providers: [
      { ...insurerConfiguration("a", insurer.baseUrl), callerLimit: { requests: 1_000_000 } },
    ],
    shutdown: { noticeMs: 1_000 },
    // The gateway must not shed load if the machine is busy with other work.
    overload: { eventLoopDelayMs: 10_000 },
  });
  const gateway = await startGatewayProcess(folder.path);
  const headers = { authorization: `Bearer ${await developmentToken(folder.path)}` };
  const request = { method: "GET", path: "/provider-a/auto/brands", headers };
  const load = startSteadyLoad(gateway.address, 200, () => request);
  await expect.poll(() => load.answered(), { timeout: 60_000 }).toBeGreaterThan(200);
  const { code } = await gateway.stop();
  const { answered, failures, notTaken } = await load.stop();
  expect(code).toBe(0);
  expect(failures).toEqual({});
  // Some requests were not accepted, which shows that the callers continued until the gateway had ended.
  expect(notTaken).toBeGreaterThan(0);
  // The gateway logged only requests with an answer, so the gateway had read nothing on the connections that broke.
  const lines = gateway
    .output()
    .split("\n")
    .filter((line) => line.includes('"msg":"request"'));
  expect(lines).toHaveLength(answered);
  expect(lines.filter((line) => !line.includes('"callerGone":false'))).toEqual([]);
  await insurer.close();
  folder.remove();
});

it("the gateway's readiness check fails after SIGTERM, but the gateway accepts requests until `shutdown.noticeMs` is over", async () => {
  const insurer = await startInsurer(json(200, { items: [] }));
  const folder = makeGatewayFolder({
    providers: [insurerConfiguration("a", insurer.baseUrl)],
    shutdown: { noticeMs: 5_000 },
  });
  const gateway = await startGatewayProcess(folder.path);
  const headers = { authorization: `Bearer ${await developmentToken(folder.path)}` };
  const ended = gateway.stop();
  const readiness = async (): Promise<number> =>
    (await fetch(`${gateway.operationsAddress}/health/ready`)).status;
  await expect.poll(readiness).toBe(503);
  const response = await fetch(`${gateway.address}/provider-a/auto/brands`, { headers });
  expect([response.status, response.headers.get("connection")]).toEqual([200, "close"]);
  expect((await ended).code).toBe(0);
  await insurer.close();
  folder.remove();
});
