import { expect, it, onTestFinished } from "vitest";
import { applicationBody, submitApplication } from "./harness/applications.ts";
import { insurerConfiguration, startInProcess } from "./harness/gateway-in-process.ts";
import { startInsurer } from "./harness/insurer.ts";
import { problemIn } from "./harness/problem.ts";

it("an application whose answer is lost is sent once and has an unknown outcome", async () => {
  const insurer = await startInsurer((response) => response.destroy());
  onTestFinished(() => insurer.close());
  const gateway = await startInProcess({ providers: [insurerConfiguration("d", insurer.baseUrl)] });
  onTestFinished(() => gateway.stop());

  const answer = await submitApplication(gateway, applicationBody());

  expect(await problemIn(answer)).toMatchObject({ code: "OUTCOME_UNKNOWN", outcome: "unknown" });
  expect(insurer.arrivals.filter(({ method }) => method === "POST")).toHaveLength(1);
});
