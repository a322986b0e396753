import { scenarioOf } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { policyBody } from "./harness/declarations.ts";

describe("the scenario of a sandbox call", () => {
  const scenarios = [
    { name: "SLOW", endpoint: "createPolicy", effect: "slow" },
    {
      name: "DECLINED",
      endpoint: "createPolicy",
      effect: "declined",
      when: { pointer: "/body/holder/afm", equals: "000000036" },
    },
  ];
  const declined = { body: { holder: { afm: "000000036" } } };

  it("a test value in the input selects the scenario of a sandbox call", () => {
    expect(scenarioOf(scenarios, "createPolicy", declined, undefined)).toBe("DECLINED");
    expect(scenarioOf(scenarios, "createPolicy", { body: policyBody }, undefined)).toBeNull();
    expect(scenarioOf(scenarios, "createPolicy", {}, undefined)).toBeNull();
  });

  it("the scenario header of a sandbox call takes precedence over a test value in the input", () => {
    expect(scenarioOf(scenarios, "createPolicy", declined, "SLOW")).toBe("SLOW");
  });

  it("a test value in the input does not select a scenario of another endpoint", () => {
    expect(scenarioOf(scenarios, "calculatePremium", declined, undefined)).toBeNull();
  });
});
