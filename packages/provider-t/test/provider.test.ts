import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerT } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider T keeps the rules of every provider", async () => {
  const subject = { id: "provider-t", provider: providerT, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
