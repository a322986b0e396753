import { check } from "@insurance-gateway/core/contract";
import { answersOf, fillPath, gatewayItself } from "@insurance-gateway/core/runtime";
import { ownProblems } from "@insurance-gateway/reference";
import { sandboxConfiguration } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "./harness/gateway-in-process.ts";
import { problemIn } from "./harness/problem.ts";

let gateway: GatewayInProcess;
beforeAll(async () => {
  gateway = await startInProcess(sandboxConfiguration);
});
afterAll(() => gateway.stop());

it("each of the gateway's own endpoints answers as it is declared", async () => {
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
});

it.each<[string, string, number, string]>([
  [
    "readSubmission",
    "/submissions/0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11",
    404,
    "SUBMISSION_NOT_FOUND",
  ],
  ["findSubmission", "/submissions?segment=provider-d", 400, "VALIDATION_FAILED"],
  ["readProviderStatus", "/providers/provider-z/status", 404, "NOT_FOUND"],
])(
  "the document of %s has the problem that %s is answered with",
  async (name, path, status, code) => {
    const response = await gateway.ask(path);
    expect(response.status).toBe(status);
    const { outcome, retry, ...problem } = await problemIn(response);
    expect(problem).toMatchObject({ code, provider: null });
    expect(ownProblems(name)[code]).toContainEqual({ outcome, retry });
  },
);
