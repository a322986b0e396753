import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerM } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider M keeps the rules of every provider", async () => {
  const subject = { id: "provider-m", provider: providerM, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
