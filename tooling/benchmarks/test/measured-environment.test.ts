import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { gatewayEnvironment } from "../src/gateway/processes.ts";

it("the gateway is measured with what its image sets for glibc's memory, and nothing else of it", () => {
  const image = readFileSync(new URL("../../../deploy/Dockerfile", import.meta.url), "utf8");
  const ofImage = [...image.matchAll(/^(?:ENV| +) *(MALLOC_\w+)=(\S+)/gm)].map(
    ([, name, value]) => [name, value],
  );
  const measured = Object.entries(gatewayEnvironment(1, 2));
  expect(ofImage.length).toBeGreaterThan(0);
  expect(measured.filter(([name]) => name.startsWith("MALLOC_"))).toEqual(ofImage);
});
