import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerI } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider I keeps the rules of every provider", async () => {
  const subject = { id: "provider-i", provider: providerI, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
