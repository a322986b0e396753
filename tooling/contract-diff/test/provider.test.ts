import { describe, expect, it } from "vitest";
import { type Contract, compareContracts } from "../src/index.ts";
import { contractWith, requesting, short } from "./harness/contracts.ts";
import { text } from "./harness/schema-changes.ts";

describe("provider data", () => {
  const contract = contractWith({});
  const withInfo = (info: object): Contract => ({
    ...contract,
    info: { ...contract.info, ...info },
  });

  it.each([
    ["title", { title: "Another" }, "patch /info/title"],
    [
      "package",
      { "x-provider": { id: "provider-x", package: "other", lines: ["motor"] } },
      "major /info/x-provider/package",
    ],
    [
      "lines of insurance",
      { "x-provider": { id: "provider-x", package: "@insurance-gateway/provider-x", lines: [] } },
      "minor /info/x-provider/lines",
    ],
    ["failure rows", { "x-failures": [{ status: 422 }] }, "major /info/x-failures"],
  ])(
    "contract-diff reports a change of the provider's %s as a change of the whole provider",
    (_name, info, change) => {
      const changes = compareContracts(contract, withInfo(info));
      expect(short(changes)).toEqual([change]);
      expect(changes[0]).toMatchObject({ operation: null, endpoint: null });
    },
  );

  it("contract-diff ignores a new version number and reports any other difference of two documents as at least minor", () => {
    expect(compareContracts(contract, withInfo({ version: "1.0.1" }))).toEqual([]);
    const named = requesting({ $ref: "#/components/schemas/A" }, { A: text });
    expect(short(compareContracts(requesting(text), named))).toEqual(["minor "]);
  });
});
