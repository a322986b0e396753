import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerA } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider A keeps the rules of every provider", () => {
  const subject = { id: "provider-a", provider: providerA, examples, sandbox };
  expect(conformanceFaults(subject)).toEqual([]);
});
