import type { AnySandbox } from "@insurance-gateway/adapter/sandbox";
import { sandbox as sandboxC } from "@insurance-gateway/provider-c/sandbox";
import { sandbox as sandboxD } from "@insurance-gateway/provider-d/sandbox";
import { sandbox as sandboxE } from "@insurance-gateway/provider-e/sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { problemIn } from "../harness/problem.ts";

/** A request for each endpoint that has sandbox scenarios. */
const requests: Readonly<Record<string, { readonly path: string; readonly json?: object }>> = {
  downloadIpid: { path: "/provider-c/application/ipid?applicationId=C-0001" },
  createApplication: { path: "/provider-d/applications", json: applicationBody() },
  calculatePensionQuote: {
    path: "/provider-e/life/core/fast-pension-quote",
    json: { personDob: "1990-05-20", monthlyContribution: 100, durationYears: 20 },
  },
};

let gateway: GatewayInProcess;
beforeAll(async () => {
  const timeouts = { totalMs: 1_500, submissionMs: 1_500 };
  const providers = ["c", "d", "e"].map((letter) => ({
    package: `@insurance-gateway/provider-${letter}`,
    upstream: "sandbox",
    timeouts,
  }));
  gateway = await startInProcess({ providers });
});
afterAll(() => gateway.stop());

const failing = [sandboxC, sandboxD, sandboxE].flatMap(({ scenarios }: AnySandbox) =>
  scenarios.flatMap(({ endpoint, name, problem }) =>
    problem === undefined ? [] : [[name, endpoint, problem] as const],
  ),
);

it.each(failing)(
  "the sandbox scenario %s of %s leads to the problem that the scenario declares",
  async (name, endpoint, problem) => {
    const { json, path = "" } = requests[endpoint] ?? {};
    const headers = { "x-sandbox-scenario": name, "idempotency-key": `case-${name}` };
    const response = await gateway.ask(path, json === undefined ? { headers } : { headers, json });
    expect(await problemIn(response)).toMatchObject(problem);
  },
);
