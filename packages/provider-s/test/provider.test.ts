import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerS } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider S keeps the rules of every provider", async () => {
  const subject = { id: "provider-s", provider: providerS, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
