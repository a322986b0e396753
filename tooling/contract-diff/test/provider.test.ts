import { describe, expect, it } from "vitest";
import { type Contract, compareContracts } from "../src/index.ts";
import { contractWith, requesting, short } from "./harness/contracts.ts";
import { text } from "./harness/schema-changes.ts";

describe("the provider", () => {
  const contract = contractWith({});
  const withInfo = (info: object): Contract => ({
    ...contract,
    info: { ...contract.info, ...info },
  });

  it.each([
    ["its title", { title: "Another" }, "patch /info/title"],
    [
      "its package",
      { "x-provider": { id: "provider-x", package: "other", lines: ["motor"] } },
      "major /info/x-provider/package",
    ],
    [
      "its lines of insurance",
      { "x-provider": { id: "provider-x", package: "@insurance-gateway/provider-x", lines: [] } },
      "minor /info/x-provider/lines",
    ],
    ["the rows of its failures", { "x-failures": [{ status: 422 }] }, "major /info/x-failures"],
  ])("changes %s", (_name, info, change) => {
    const changes = compareContracts(contract, withInfo(info));
    expect(short(changes)).toEqual([change]);
    expect(changes[0]).toMatchObject({ operation: null, endpoint: null });
  });

  it("has no changes with another version only, and at least a minor one with any other text", () => {
    expect(compareContracts(contract, withInfo({ version: "1.0.1" }))).toEqual([]);
    const named = requesting({ $ref: "#/components/schemas/A" }, { A: text });
    expect(short(compareContracts(requesting(text), named))).toEqual(["minor "]);
  });
});
