import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEVELOPMENT_ISSUER } from "../../src/configuration/account-check.ts";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import { account, CLAIM, environmentOf } from "../harness/brokers.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";

let insurer: Insurer;
let gateway: GatewayInProcess;
let time: HeldTime;
/** Address of the state of a submission whose outcome is unknown. */
let address: string;
const configuration = (segment: string): object => ({
  providers: [
    { ...insurerConfiguration("d", insurer.baseUrl), segment },
    { ...insurerConfiguration("d", insurer.baseUrl), segment: "other" },
  ],
});
beforeEach(async () => {
  insurer = await startInsurer((response) => void response.destroy());
  time = holdTime();
  gateway = await startInProcess(configuration("provider-d"), {}, { time });
  const lost = await submitApplication(gateway, applicationBody(), { "idempotency-key": "a" });
  const { reconciliation }: { reconciliation?: { href?: string } } = JSON.parse(await lost.text());
  address = reconciliation?.href ?? "";
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

it("the gateway refuses a reload that renames a segment with open submissions, and lists these submissions", async () => {
  gateway.folder.writeConfiguration(configuration("renamed"));
  const result = gateway.reload();
  for (let look = 0; look < 4; look += 1) {
    await time.tick();
    time.forward(1_000);
  }
  const id = address.split("/").at(-1);
  expect(await result).toMatchObject({
    result: "refused",
    faults: expect.arrayContaining([
      `providers: the segment provider-d must stay until its open submissions are concluded: ${id}`,
    ]),
  });
});

it("a gateway that starts without an open submission's segment serves the other segments, and reports the submission", async () => {
  const { folder } = gateway;
  await gateway.end();
  gateway = await startInProcess(configuration("renamed"), {}, { time, folder });
  const { token } = gateway;
  const ask = (path: string): Promise<Response> =>
    fetch(gateway.address + path, { headers: { authorization: `Bearer ${token}` } });
  const lines = gateway.log.map((line) => JSON.parse(line));
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 50,
      segment: "provider-d",
      submissions: 1,
      msg: "submissions of a segment without a provider have an unknown outcome",
    }),
  );
  const metrics = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  expect(metrics).toContain('submissions_unserved{provider="provider-d"} 1');
  const status = await ask(address);
  expect([status.status, Reflect.get(Object(await status.json()), "state")]).toEqual([
    200,
    "outcome_unknown",
  ]);
  expect((await ask("/provider-d/applications/search?clientAfm=123456789")).status).toBe(404);
  expect((await ask("/renamed/applications/search?clientAfm=123456789")).status).not.toBe(404);
});

describe("a renamed segment with tenants", () => {
  /**
   * Returns a configuration with two accounts: `first` for the tenant `north` at `firstSegment`, and `south` for the
   * tenant `south` at the segment `other`.
   */
  const withTenants = (segment: string, first: string, firstSegment: string): object => {
    const toSegment = { issuer: DEVELOPMENT_ISSUER, segment: firstSegment };
    const toOther = { issuer: DEVELOPMENT_ISSUER, segment: "other" };
    const list = [account(first, "north", toSegment), account("south", "south", toOther)];
    return { ...configuration(segment), accounts: { claim: CLAIM, list } };
  };
  const environment = environmentOf(["north", "new", "south"]);
  const tokenOf = (tenant: string): Promise<string> => gateway.tokenFor("t", { [CLAIM]: tenant });
  const ask = async (tenant: string, path: string): Promise<Response> =>
    fetch(gateway.address + path, {
      headers: { authorization: `Bearer ${await tokenOf(tenant)}` },
    });
  async function restart(...parameters: Parameters<typeof withTenants>): Promise<void> {
    const { folder } = gateway;
    await gateway.end();
    gateway = await startInProcess(withTenants(...parameters), environment, { time, folder });
  }
  const unserved = async (): Promise<string> =>
    (await fetch(`${gateway.operationsAddress}/metrics`)).text();
  beforeEach(async () => {
    await restart("provider-d", "north", "provider-d");
    const token = await tokenOf("north");
    const lost = await submitApplication({ ...gateway, token }, applicationBody());
    address = Object(Object(await lost.json()).reconciliation).href;
  });

  it("a gateway that starts with a renamed segment serves all tenants, and shows a submission's status only to the submission's tenant", async () => {
    await restart("renamed", "north", "renamed");
    const status = await ask("north", address);
    expect([status.status, Object(await status.json()).state]).toEqual([200, "outcome_unknown"]);
    expect((await ask("south", address)).status).toBe(404);
    const search = "applications/search?clientAfm=123456789";
    expect((await ask("north", `/renamed/${search}`)).status).toBe(502);
    expect((await ask("south", `/other/${search}`)).status).toBe(502);
    expect(await unserved()).toContain('submissions_unserved{provider="provider-d"} 2');
  });

  it("a gateway that starts without the segment and the account of open submissions serves other tenants, and reports the submissions", async () => {
    await restart("renamed", "new", "renamed");
    expect((await ask("south", "/other/applications/search?clientAfm=123456789")).status).toBe(502);
    expect(await unserved()).toContain('submissions_unserved{provider="provider-d"} 2');
  });
});
