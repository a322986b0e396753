import { check } from "@insurance-gateway/core/contract";
import { answersOf, fillPath, gatewayItself } from "@insurance-gateway/core/runtime";
import { sandboxConfiguration } from "@insurance-gateway/running-gateway";
import { expect, it } from "vitest";
import { startInProcess } from "./harness/gateway-in-process.ts";

it("each of the gateway's own endpoints answers as it is declared", async () => {
  const gateway = await startInProcess(sandboxConfiguration);
  const application = {
    policy: { startDate: "2026-12-01", endDate: "2027-12-01" },
    vehicle: { plateNumber: "ΙΚΥ-1234", manufacturerCode: "TOY", modelCode: "YARIS" },
    holder: { afm: "123456789", fullName: "Ελένη Παπαδοπούλου" },
  };
  const headers = { "idempotency-key": "case-1" };
  const created = await gateway.ask("/provider-d/applications", { json: application, headers });
  const submissionId = (created.headers.get("location") ?? "").split("/").at(-1);
  const params = { submissionId, segment: "provider-d" };
  const search = "?segment=provider-d&endpoint=createApplication";
  for (const [name, endpoint] of Object.entries(gatewayItself.endpoints)) {
    const path = fillPath(endpoint.path, params) + (name === "findSubmission" ? search : "");
    const response = await gateway.ask(path, { headers });
    const body: unknown = await response.json();
    const [declared] = answersOf(endpoint).map(([status, { media }]) => ({
      status,
      answer: Object.values(media).map((schema) => check(schema, body)),
    }));
    expect({ status: response.status, answer: [{ valid: true, value: body }] }, name).toEqual(
      declared,
    );
  }
  await gateway.stop();
});
