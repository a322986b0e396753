import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerQ } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider Q keeps the rules of every provider", async () => {
  const subject = { id: "provider-q", provider: providerQ, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
