import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerK } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider K keeps the rules of every provider", async () => {
  const subject = { id: "provider-k", provider: providerK, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
