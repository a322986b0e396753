import { fileURLToPath } from "node:url";
import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import { writtenPackage } from "../written-package.ts";

const documents = fileURLToPath(new URL("../documents/", import.meta.url));

it.each([
  ["document/literal", "motor/motor"],
  ["rpc/literal", "claims"],
])(
  "the package that was imported from a WSDL passes the conformance tests if the messages are %s",
  async (_, name) => {
    const written = await writtenPackage({
      from: `${documents}${name}.wsdl`,
      overlay: `${documents}${name}.overlay.yaml`,
    });
    try {
      expect(await conformanceFaults(written)).toEqual([]);
    } finally {
      written.remove();
    }
  },
);
