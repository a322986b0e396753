import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerH } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider H keeps the rules of every provider", async () => {
  const subject = { id: "provider-h", provider: providerH, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
