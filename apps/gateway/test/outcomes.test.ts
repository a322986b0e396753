import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "./harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "./harness/gateway-in-process.ts";
import { type Insurer, problem, startInsurer } from "./harness/insurer.ts";

// What each fault of an insurer comes to is in fault-table.test.ts.

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeAll(async () => {
  insurer = await startInsurer(problem(422, "PROVIDER_REJECTED"));
  gateway = await startInProcess({ providers: [insurerConfiguration("d", insurer.baseUrl)] });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

describe("an insurer's own words", () => {
  it("do not cross: its problem's code and places do, its texts may quote the customer", async () => {
    insurer.behaviour = problem(422, "PROVIDER_REJECTED", {
      detail: "Μαρία 123456789 is bad",
      errors: [
        { pointer: "/vehicle/modelCode", message: "YARIS unknown" },
        { pointer: "/123456789", message: "x" },
      ],
    });
    const text = await (await submitApplication(gateway, applicationBody())).text();
    expect(JSON.parse(text)).toMatchObject({
      errors: [
        { pointer: "/vehicle/modelCode", code: "INVALID", message: "was refused by the insurer" },
      ],
    });
    for (const words of ["Μαρία", "123456789", "YARIS"]) expect(text).not.toContain(words);
  });
});
