import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerJ } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider J keeps the rules of every provider", async () => {
  const subject = { id: "provider-j", provider: providerJ, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
