import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerO } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider O keeps the rules of every provider", async () => {
  const subject = { id: "provider-o", provider: providerO, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
