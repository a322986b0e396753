import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerG } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider G keeps the rules of every provider", async () => {
  const subject = { id: "provider-g", provider: providerG, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
