import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerL } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider L keeps the rules of every provider", async () => {
  const subject = { id: "provider-l", provider: providerL, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
