import { randomInt } from "node:crypto";
import { createGateway } from "@insurance-gateway/core";
import { type MotorApplication, searchApplications } from "@insurance-gateway/provider-d";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { callers, curl } from "./callers.ts";
import { type RecordedGateway, startRecordedGateway } from "./harness/recorded-gateway.ts";

let gateway: RecordedGateway;

beforeAll(async () => {
  gateway = await startRecordedGateway({ submissionMs: 3_000 });
});
afterEach(() => {
  gateway.recorder.losesAnswers = false;
  gateway.recorder.takeRecorded();
});
afterAll(() => gateway.stop());

/** The insurance application of the collections' example, for a given or a new customer. */
function bodyFor(afm = String(randomInt(100_000_000, 999_999_999))): MotorApplication {
  return {
    policy: { startDate: "2026-12-01", endDate: "2027-12-01" },
    vehicle: { plateNumber: "ΙΚΥ-1234", manufacturerCode: "TOY", modelCode: "YARIS" },
    holder: { afm, fullName: "Ελένη Παπαδοπούλου" },
  };
}

/** Returns the number of a customer's applications at the insurer. */
async function applicationsOf({ holder }: MotorApplication): Promise<number> {
  const client = createGateway({ baseUrl: gateway.address, token: gateway.token });
  const { items } = await client.call(searchApplications, { query: { clientAfm: holder.afm } });
  await client.close();
  return items.length;
}

/** Returns the statuses of the applications sent since the last call. */
function sent(): readonly number[] {
  const submissions = gateway.recorder.takeRecorded().filter(({ method }) => method === "POST");
  return submissions.map(({ status }) => status);
}

it.each(Object.entries(callers))(
  "the insurer has one application after the same body was sent three times and the first answer was lost: %s",
  async (_, call) => {
    const body = bodyFor();
    gateway.recorder.losesAnswers = true;
    await call(gateway, body);
    gateway.recorder.losesAnswers = false;
    expect(sent()).toContain(201);
    await call(gateway, body);
    await call(gateway, body);
    expect(sent()).toEqual([201, 201]);
    expect(await applicationsOf(body)).toBe(1);
  },
);

it("the insurer has one application after all client tools sent the same body, and two after a request with another key", async () => {
  const body = bodyFor();
  for (const call of Object.values(callers)) await call(gateway, body);
  expect(sent()).toEqual(Object.keys(callers).map(() => 201));
  await curl(gateway, body, "case-1");
  expect(await applicationsOf(body)).toBe(1);
  await curl(gateway, body, "case-2");
  expect(await applicationsOf(body)).toBe(2);
});

it("the insurer has one application after all client tools sent the same body and the insurer's answer was lost", async () => {
  const body = bodyFor("000000061");
  for (const call of Object.values(callers)) await call(gateway, body);
  expect(sent()).toContain(504);
  expect(await applicationsOf(body)).toBe(1);
});
