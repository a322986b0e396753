import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { nodePeerEnvironment } from "../src/gateway/peers.ts";
import { gatewayEnvironment } from "../src/gateway/processes.ts";

const image = readFileSync(new URL("../../../deploy/Dockerfile", import.meta.url), "utf8");
const ofImage = Object.fromEntries(
  [...image.matchAll(/\b(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
);

it.each([
  { server: "the gateway", environment: gatewayEnvironment(1, 2) },
  { server: "a proxy on Node", environment: nodePeerEnvironment(1, "") },
])("$server is measured with the MALLOC_ variables of the gateway's image", ({ environment }) => {
  expect(Object.keys(ofImage)).not.toEqual([]);
  const measured = Object.entries(environment).filter(([name]) => name.startsWith("MALLOC_"));
  expect(Object.fromEntries(measured)).toEqual(ofImage);
});
