import { createGateway } from "@insurance-gateway/core";
import { searchApplications } from "@insurance-gateway/provider-d";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";

let gateway: GatewayInProcess;
let quick: Insurer;
let silent: Insurer;
/** Resolves when the gateway closes its connection to the insurer that does not answer. */
let left: PromiseWithResolvers<void>;

beforeAll(async () => {
  quick = await startInsurer(json(200, { total: 0, start: 1, limit: 20, items: [] }));
  silent = await startInsurer((response) => response.once("close", () => left.resolve()));
  gateway = await startInProcess({
    providers: [
      insurerConfiguration("d", quick.baseUrl),
      { ...insurerConfiguration("d", silent.baseUrl), segment: "silent" },
    ],
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([quick.close(), silent.close()]);
});

describe("calls to several insurers at once", () => {
  it.each([
    ["the calling program leaves the loop", {}, true],
    ["the time limit ends", { within: 500 }, false],
  ])("the client cancels the unfinished calls to insurers when %s", async (_, options, leaves) => {
    left = Promise.withResolvers();
    const client = createGateway({ baseUrl: gateway.address, token: gateway.token });
    onTestFinished(() => client.close());
    const query = { clientAfm: "123456789" };
    const arrived = silent.nextArrival();
    const results: unknown[] = [];
    for await (const one of client.each(
      {
        quick: async (limits) => {
          await arrived;
          return client.call(searchApplications, { query, ...limits });
        },
        silent: () => client.call(searchApplications, { query, segment: "silent" }),
      },
      options,
    )) {
      results.push(one);
      if (leaves) break;
    }
    await left.promise;
    expect(results[0]).toMatchObject({ name: "quick", error: null });
    if (!leaves) expect(results[1]).toMatchObject({ name: "silent", error: { code: "TIMEOUT" } });
  });
});
