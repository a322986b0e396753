import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerR } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider R keeps the rules of every provider", async () => {
  const subject = { id: "provider-r", provider: providerR, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
