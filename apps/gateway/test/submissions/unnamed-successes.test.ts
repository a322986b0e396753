import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { applicationBody, listedApplication, submitApplication } from "../harness/applications.ts";
import { json } from "../harness/insurer.ts";
import { startListingGateway } from "./listing-gateway.ts";

it("a list item that belongs to a successful submission does not prove the success of an equal submission with a lost answer", async () => {
  const gateway = await startListingGateway();
  onTestFinished(() => gateway.stop());
  const plain = applicationBody();
  const vehicle = { ...Object(Reflect.get(plain, "vehicle")), modelCode: "208" };
  const body = { ...plain, vehicle };
  const at = new Date(gateway.time.now()).toISOString();
  const created = listedApplication(body, { applicationId: "208", createdAt: at, updatedAt: at });
  const losing = gateway.insurer.behaviour;
  gateway.insurer.behaviour = (response, arrival) =>
    arrival.method === "POST" ? json(201, created)(response, arrival) : losing(response, arrival);
  const headers = { "idempotency-key": randomUUID() };
  expect((await submitApplication(gateway, body, headers)).status).toBe(201);
  gateway.insurer.behaviour = losing;
  gateway.list = [created];
  const { address } = await gateway.submitInVain(body);
  await gateway.pass(2_000);
  expect(await gateway.stateOf(address)).toBe("outcome_unknown");
  // These two queries come after the insurer's settle time. No item of the list could be the second submission.
  for (const wait of [20 * 60_000, 5 * 60_000]) await gateway.pass(wait);
  expect(await gateway.stateOf(address)).toBe("failed");
});
