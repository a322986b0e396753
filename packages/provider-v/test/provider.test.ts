import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerV } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider V keeps the rules of every provider", async () => {
  const subject = { id: "provider-v", provider: providerV, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
