import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import * as examples from "../src/examples/index.ts";
import { providerW } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("Provider W keeps the rules of every provider", async () => {
  const subject = { id: "provider-w", provider: providerW, examples, sandbox };
  expect(await conformanceFaults(subject)).toEqual([]);
});
