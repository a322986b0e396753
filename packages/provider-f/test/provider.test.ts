import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerF } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider F keeps the rules of every provider", async () => {
  const subject = { id: "provider-f", provider: providerF, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
