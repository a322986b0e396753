import { join } from "node:path";
import { developmentToken, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { expect, it } from "vitest";
import { buildProvider } from "../src/start/built-providers.ts";
import { startProbedGateway } from "./harness/probed-gateway.ts";

const FEW = 4;
const MANY = 104;
const READINGS = 5;
/** Measured on 2026-11-27: 4,000. */
const MOST_BYTES = 4_800;

/** Starts a gateway with one generated provider, and returns the bytes on its heap once all garbage is collected. */
async function bytesWith(endpoints: number): Promise<number> {
  const folder = makeGatewayFolder();
  buildProvider(join(folder.path, "node_modules/@generated/insurer"), "insurer", endpoints);
  const upstream = {
    baseUrl: "http://127.0.0.1:9",
    adapter: "declared",
    credentials: { type: "none" },
  };
  folder.writeConfiguration({ providers: [{ package: "@generated/insurer", upstream }] });
  const gateway = await startProbedGateway(folder.path, await developmentToken(folder.path));
  try {
    const readings: number[] = [];
    while (readings.length < READINGS) readings.push(await gateway.usedBytes());
    return Math.min(...readings);
  } finally {
    await gateway.stop();
    folder.remove();
  }
}

/** For building two packages on a busy machine. */
const LONGEST_MS = 120_000;

it("A route that nobody has called yet takes few bytes", { timeout: LONGEST_MS }, async () => {
  const [few, many] = await Promise.all([bytesWith(FEW), bytesWith(MANY)]);
  const bytes = (many - few) / (MANY - FEW);
  expect(bytes).toBeGreaterThan(100);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});
