import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerP } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider P keeps the rules of every provider", async () => {
  const subject = { id: "provider-p", provider: providerP, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
