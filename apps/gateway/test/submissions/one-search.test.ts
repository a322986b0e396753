import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";
import { applicationBody, listedApplication } from "../harness/applications.ts";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { holdTime } from "../harness/held-time.ts";
import { json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { installRenewals } from "./renewals.ts";

it("a list item does not prove a success if an open submission of another endpoint may have created the item", async () => {
  const time = holdTime();
  const body = applicationBody();
  const at = new Date(time.now()).toISOString();
  const renewed = listedApplication(body, {
    applicationId: "D-1",
    createdAt: at,
    updatedAt: at,
  });
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const insurer = await startInsurer((response, arrival) => {
    // The connection of the application breaks before the insurer executes the application.
    if (arrival.url.endsWith("/applications")) return void response.destroy();
    if (arrival.method === "GET")
      return json(200, { items: [renewed], start: 1, limit: 20, total: 1 })(response, arrival);
    // The insurer executes the renewal, and answers late.
    arrived.resolve();
    void released.promise.then(() => json(201, renewed)(response, arrival));
  });
  const folder = makeGatewayFolder();
  const renewals = installRenewals(folder);
  const { upstream } = insurerConfiguration("d", insurer.baseUrl);
  const providers = [{ package: renewals, segment: "motor", upstream }];
  const configuration = { providers, reference: { served: false } };
  const gateway = await startInProcess(configuration, {}, { folder, time });
  onTestFinished(async () => {
    released.resolve();
    await gateway.stop();
    await insurer.close();
  });
  const call = (path: string, content?: object): Promise<Response> =>
    fetch(`${gateway.address}${path}`, {
      ...(content === undefined ? {} : { method: "POST", body: JSON.stringify(content) }),
      headers: {
        authorization: `Bearer ${gateway.token}`,
        "content-type": "application/json",
      },
    });
  const renewal = call("/motor/renewals", body);
  await arrived.promise;
  const { reconciliation } = await problemIn(await call("/motor/applications", body));
  const address = String(Reflect.get(Object(reconciliation), "href"));
  time.forward(5_000);
  await time.tick();
  expect(insurer.arrivals.filter(({ method }) => method === "GET")).toHaveLength(1);
  expect(await (await call(address)).json()).toMatchObject({ state: "outcome_unknown" });
  released.resolve();
  expect((await renewal).status).toBe(201);
});
