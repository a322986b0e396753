import { createGateway } from "@insurance-gateway/core";
import { fakeGateway } from "@insurance-gateway/core/testing";
import { createApplication } from "@insurance-gateway/provider-d";
import { sandbox } from "@insurance-gateway/provider-d/sandbox";
import { expect, it } from "vitest";

const body = {
  policy: { startDate: "2026-12-01", endDate: "2027-12-01" },
  vehicle: { plateNumber: "ΙΚΥ-1234", manufacturerCode: "TOY", modelCode: "YARIS" },
  holder: { afm: "123456789", fullName: "Ελένη Παπαδοπούλου" },
};

it("a repeated idempotency key creates only one application even if the insurer's answer was lost", async () => {
  const fake = fakeGateway({ sandboxes: [sandbox] });
  const gateway = createGateway({ ...fake.options, timeout: 2_000 });

  fake.loseNextAnswer(); // the insurer creates the application
  const lost = await gateway.submit(createApplication, { body, key: "case-1" });
  expect(lost.outcome).toBe("unknown");

  fake.clock.advance({ minutes: 5 }); // meanwhile, the gateway queries the insurer
  const found = await gateway.submit(createApplication, { body, key: "case-1" });
  expect(found).toMatchObject({ outcome: "succeeded", replayed: true });
  expect(fake.records("provider-d")).toHaveLength(1);
});
