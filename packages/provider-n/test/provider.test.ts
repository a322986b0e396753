import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerN } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider N keeps the rules of every provider", async () => {
  const subject = { id: "provider-n", provider: providerN, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
