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

  it("is the one whose test value the input holds", () => {
    expect(scenarioOf(scenarios, "createPolicy", declined, undefined)).toBe("DECLINED");
    expect(scenarioOf(scenarios, "createPolicy", { body: policyBody }, undefined)).toBeNull();
    expect(scenarioOf(scenarios, "createPolicy", {}, undefined)).toBeNull();
  });

  it("is the header's before a test value's", () => {
    expect(scenarioOf(scenarios, "createPolicy", declined, "SLOW")).toBe("SLOW");
  });

  it("is none of another endpoint's", () => {
    expect(scenarioOf(scenarios, "calculatePremium", declined, undefined)).toBeNull();
  });
});
