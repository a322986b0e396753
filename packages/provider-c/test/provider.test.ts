import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerC } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider C keeps the rules of every provider", () => {
  const subject = { id: "provider-c", provider: providerC, examples, sandbox };
  expect(conformanceFaults(subject)).toEqual([]);
});
