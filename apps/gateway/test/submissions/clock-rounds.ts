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

/** Gateways on one store, before an insurer that says how often each application was sent to it. */
export interface ClockWorld {
  /** Starts a gateway on the store, with a clock of its own that is `aheadMs` ahead. */
  start(aheadMs: number): Promise<ClockedGateway>;
  /** Sends one application with a key, one without, and one whose answer is lost and that the insurer has not carried out. */
  submitThree(gateway: ClockedGateway): Promise<void>;
  /** Sends the same three again: each gets its known state, and none reaches the insurer. */
  expectKnown(gateway: ClockedGateway): Promise<void>;
  /** The insurer carries out the third after all, and the gateway finds it in the insurer's list. */
  expectFound(gateway: ClockedGateway): Promise<void>;
  close(): Promise<void>;
}

/** A gateway, and the time that the test holds for it. */
export interface ClockedGateway extends GatewayInProcess {
  readonly time: HeldTime;
}

/** Makes one. */
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
      // The token is valid by every clock of the test: nothing is refused for another reason.
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
      // An answer is stored by the clock; without it the gateway still knows that it was carried out.
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

/** Lets the running time of a database pass; the process that reconciled from it has ended. */
async function pass(url: string | undefined, milliseconds: number): Promise<void> {
  if (url === undefined) return;
  const client = new Client(url);
  await client.connect();
  await client.query(`UPDATE gateway_running_time SET passed = passed + ${milliseconds}`);
  await client.query("DELETE FROM gateway_reconcilers");
  await client.end();
}

/** Changes the clocks of a store: another gateway starts with a wrong one, and later one with a right one. */
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
  // Its clock moves while it serves, too.
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
