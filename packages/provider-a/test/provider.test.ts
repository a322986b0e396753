import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import * as examples from "../src/examples/index.ts";
import { providerA } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider A keeps the rules of every provider", async () => {
  const subject = { id: "provider-a", provider: providerA, examples, sandbox, adapter };
  expect(await conformanceFaults(subject)).toEqual([]);
});
