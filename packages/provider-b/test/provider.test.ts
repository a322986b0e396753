import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerB } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider B keeps the rules of every provider", () => {
  const subject = { id: "provider-b", provider: providerB, examples, sandbox };
  expect(conformanceFaults(subject)).toEqual([]);
});
