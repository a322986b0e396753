import { check } from "@insurance-gateway/core/contract";
import { answersOf, fillPath, gatewayItself } from "@insurance-gateway/core/runtime";
import { type OpenApiDocument, ownProblems } from "@insurance-gateway/reference";
import { sandboxConfiguration } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { problemIn } from "../harness/problem.ts";

let gateway: GatewayInProcess;
beforeAll(async () => {
  gateway = await startInProcess(sandboxConfiguration);
});
afterAll(() => gateway.stop());

it("each of the gateway's own endpoints returns an answer that matches the declared schema", async () => {
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
  ["readSubmission", "/submissions/0b0f8f4e?page=1", 400, "VALIDATION_FAILED"],
  ["listProviders", "/providers?state=up", 400, "VALIDATION_FAILED"],
  ["readProviderStatus", "/providers/provider-d/status?days=3", 400, "VALIDATION_FAILED"],
  ["listScenarios", "/sandbox/scenarios?provider=provider-d", 400, "VALIDATION_FAILED"],
  ["readProviderStatus", "/providers/provider-z/status", 404, "NOT_FOUND"],
])(
  "the OpenAPI document of the gateway's endpoint %s contains the problem of a request to %s",
  async (name, path, status, code) => {
    const response = await gateway.ask(path);
    expect(response.status).toBe(status);
    const { outcome, retry, ...problem } = await problemIn(response);
    expect(problem).toMatchObject({ code, provider: null });
    expect(ownProblems(name)[code]).toContainEqual({ outcome, retry });
  },
);

it("a gateway without a simulated insurer documents exactly its available own endpoints", async () => {
  const insurer = await startInProcess({
    providers: [insurerConfiguration("d", "http://127.0.0.1:9")],
  });
  try {
    const read = async (page: string): Promise<string> => {
      const response = await fetch(`${insurer.address}/reference${page}`);
      expect(response.status).toBe(200);
      return response.text();
    };
    const document = JSON.parse(await read("/gateway/openapi.json")) as OpenApiDocument;
    const paths = Object.keys(document.paths);
    expect(paths).toHaveLength(4);
    for (const path of paths) {
      const refused = await insurer.ask(path, { method: "DELETE" });
      expect(refused.status, path).toBe(405);
    }
    expect(Object.keys(document.components.schemas)).not.toContain("ScenarioList");
    for (const page of [
      "",
      "/el",
      "/outcomes",
      "/collections",
      "/gateway",
      "/llms.txt",
      "/search.json",
    ])
      expect(await read(page), page).not.toMatch(
        /reference\/(?:sandbox|lost-answer)|listScenarios|and a lost answer|test values/,
      );
    const missing = await fetch(`${insurer.address}/reference/nowhere`, {
      headers: { accept: "text/html" },
    });
    expect(await missing.text()).not.toContain("/reference/sandbox");
  } finally {
    await insurer.stop();
  }
});
