import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerU } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider U keeps the rules of every provider", async () => {
  const subject = { id: "provider-u", provider: providerU, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
