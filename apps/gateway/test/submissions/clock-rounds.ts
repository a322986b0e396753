import { randomUUID } from "node:crypto";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { startFaultInjectingInsurer } from "@insurance-gateway/testkit";
import { Client } from "pg";
import { expect, vi } from "vitest";
import {
  applicationBody,
  createApplicationsInsurer,
  submitApplication,
} from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";

const DAY = 86_400_000;

/** Gateways that share one store and one insurer. */
export interface ClockWorld {
  /** Starts a gateway on the store. The gateway's clock is `aheadMs` ahead of the real time. */
  start(aheadMs: number): Promise<ClockedGateway>;
  /** Sends three applications: with a key, without a key, and one that the insurer neither executes nor answers. */
  submitThree(gateway: ClockedGateway): Promise<void>;
  /** Sends the three applications again. Expects the stored results, and no request to the insurer. */
  expectKnown(gateway: ClockedGateway): Promise<void>;
  /**
   * Has the insurer execute the third application. Expects that the gateway finds the application in the insurer's
   * list.
   */
  expectFound(gateway: ClockedGateway): Promise<void>;
  close(): Promise<void>;
}

/** A gateway, with the clock that the test controls. */
export interface ClockedGateway extends GatewayInProcess {
  readonly time: HeldTime;
}

/** Creates an insurer and a folder for gateways with different clocks. */
export async function createClockWorld(
  environment: Readonly<Record<string, string>>,
): Promise<ClockWorld> {
  const { execute } = createApplicationsInsurer();
  const insurer = await startFaultInjectingInsurer({
    execute: async (arrival) => execute(arrival),
  });
  const configuration = {
    providers: [insurerConfiguration("d", insurer.baseUrl)],
  };
  const folder = makeGatewayFolder(configuration);
  const [keyed, keyless, lost] = [applicationBody(), applicationBody(), applicationBody()];
  const key = { "idempotency-key": randomUUID() };
  const lostKey = { "idempotency-key": randomUUID() };
  const sent = (): number => insurer.arrivals().filter(({ method }) => method === "POST").length;
  return {
    async start(aheadMs) {
      const time = holdTime();
      time.jump(aheadMs);
      const gateway = await startInProcess(configuration, environment, { time, folder });
      // The token is valid by every clock of the test, so no request is refused because of its token.
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 1_000 * DAY });
      const token = await gateway.tokenFor("tester");
      vi.useRealTimers();
      return { ...gateway, token, time };
    },
    async submitThree(gateway) {
      expect((await submitApplication(gateway, keyed, key)).status).toBe(201);
      expect((await submitApplication(gateway, keyless)).status).toBe(201);
      await insurer.behave("reset-after-request");
      expect((await submitApplication(gateway, lost, lostKey)).status).toBe(504);
      await insurer.behave(null);
      expect(sent()).toBe(3);
    },
    async expectKnown(gateway) {
      const answers = [
        await submitApplication(gateway, keyed, key),
        await submitApplication(gateway, keyless),
        await submitApplication(gateway, lost, lostKey),
        await submitApplication(gateway, lost),
      ];
      // The status is 502 for a stored answer that has expired by the clock: the gateway still reports `executed`.
      const known = [expect.toBeOneOf([201, 502]), expect.toBeOneOf([201, 502]), 504, 504];
      expect([answers.map(({ status }) => status), sent()]).toEqual([known, 3]);
    },
    async expectFound(gateway) {
      execute({ method: "POST", body: JSON.stringify(lost), query: "" });
      await pass(environment.DATABASE_URL, 60_000);
      await gateway.time.pass(60_000);
      await gateway.time.tick();
      expect((await submitApplication(gateway, lost, lostKey)).status).toBe(201);
    },
    async close() {
      await insurer.close();
      folder.remove();
    },
  };
}

/** Advances the running time in the database, and deletes the record that an ended process reconciles the insurer. */
async function pass(url: string | undefined, milliseconds: number): Promise<void> {
  if (url === undefined) return;
  const client = new Client(url);
  await client.connect();
  await client.query(`UPDATE gateway_running_time SET passed = passed + ${milliseconds}`);
  await client.query("DELETE FROM gateway_reconcilers");
  await client.end();
}

/** Starts a gateway with a wrong clock, then one with the right clock. Expects that no submission is sent twice. */
export async function expectNothingTwice(
  environment: Readonly<Record<string, string>>,
  aheadMs: number,
): Promise<void> {
  const world = await createClockWorld(environment);
  const isShared = "DATABASE_URL" in environment;
  const right = await world.start(0);
  await world.submitThree(right);
  if (!isShared) await right.end();
  const wrong = await world.start(aheadMs);
  for (let round = 0; round < 3; round += 1) {
    await wrong.time.tick();
    await world.expectKnown(wrong);
  }
  // The clock jumps again while the gateway serves.
  wrong.time.jump(aheadMs);
  await wrong.time.tick();
  await world.expectKnown(wrong);
  await wrong.end();
  const last = isShared ? right : await world.start(0);
  await last.time.tick();
  await world.expectKnown(last);
  await world.expectFound(last);
  await last.end();
  await world.close();
}
