import {
  type GatewayProcess,
  makeGatewayFolder,
  sandboxConfiguration,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { expect, it } from "vitest";

const issuer = {
  issuer: "https://login.example",
  audience: "insurance-gateway",
  jwksUri: "https://login.example/jwks.json",
  algorithms: ["RS256"],
};

/** What a gateway printed before its log, without what differs each time. */
function greetingOf(gateway: GatewayProcess): string {
  return gateway
    .output()
    .replaceAll(gateway.referenceAddress || "no reference", "REFERENCE")
    .replaceAll(gateway.operationsAddress, "OPERATIONS")
    .replaceAll(gateway.address, "ADDRESS")
    .split("\n")
    .filter((line) => !line.startsWith("{"))
    .join("\n");
}

it.each([
  [
    "through npm, with a lookup",
    { providers: sandboxConfiguration.providers.slice(0, 1) },
    [
      "  A token             TOKEN=$(npm run --silent token)",
      "  A first call",
      '    curl -H "Authorization: Bearer $TOKEN" ADDRESS/provider-a/auto/brands',
    ],
    "SIGINT",
  ],
  [
    "with issuers, and without a lookup",
    { providers: sandboxConfiguration.providers.slice(3, 4), issuers: [issuer] },
    ["  A token             # from your issuer, as configured in `issuers`"],
    "SIGTERM",
  ],
] as const)(
  "a gateway that starts %s says where it is and how to call it, and ends with 0",
  async (_, configuration, lines, signal) => {
    const folder = makeGatewayFolder(configuration);
    const gateway = await startGatewayProcess(folder.path, { npm_lifecycle_event: "start" });
    const greeting = greetingOf(gateway);
    const ended = await gateway.stop(signal);
    folder.remove();
    expect(greeting.split("\n")).toEqual([
      "",
      "  Insurance Gateway   ADDRESS",
      "  Reference           REFERENCE",
      "  Operations          OPERATIONS",
      ...lines,
      "",
      "",
    ]);
    expect([ended.code, ended.signal]).toEqual([0, null]);
  },
);
