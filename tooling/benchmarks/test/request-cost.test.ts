import {
  developmentToken,
  type GatewayFolder,
  makeGatewayFolder,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { providerBefore } from "../src/gateway/processes.ts";
import { type ProbedGateway, startProbedGateway } from "./harness/probed-gateway.ts";
import { startWorkInsurer, type WorkInsurer } from "./harness/work-insurer.ts";

let insurer: WorkInsurer;
let folder: GatewayFolder;
let gateway: ProbedGateway;

beforeAll(async () => {
  insurer = await startWorkInsurer();
  folder = makeGatewayFolder({
    providers: ["a", "b", "c", "d", "e"].map((letter) => ({
      package: `@insurance-gateway/provider-${letter}`,
      ...providerBefore(insurer.baseUrl),
      answers: { freshMinutes: 0 },
    })),
  });
  gateway = await startProbedGateway(folder.path, await developmentToken(folder.path));
});
afterAll(async () => {
  await gateway.stop();
  insurer.close();
  folder.remove();
});

/** Every request runs more than these: a coverage that counts nothing fails. */
const LEAST_FUNCTIONS = 200;

/** At most a fifth above what was measured on 2026-11-24: lower them when a request has become cheaper. */
describe("a request at the built gateway", () => {
  it.each([
    { work: "quote", bytes: 104_000, functions: 515 },
    { work: "lookup", bytes: 109_000, functions: 480 },
    { work: "submission", bytes: 170_000, functions: 600 },
  ])("runs no more functions and allocates no more than before: $work", async (most) => {
    const bytes = await gateway.allocatedBytes(most.work);
    const { functions } = await gateway.functionsRun(most.work);
    expect(bytes).toBeLessThanOrEqual(most.bytes);
    expect(functions).toBeGreaterThan(LEAST_FUNCTIONS);
    expect(functions).toBeLessThanOrEqual(most.functions);
  });
});

/**
 * Measured on 2026-11-23: 1,400 to 3,500, what was compiled meanwhile among it; 16,000 and more where V8's old generation
 * has something of each request that refers to the rest of it.
 */
const MOST_HELD_BYTES = 8_000;

/** Measured on 2026-11-23: 1,400 to 1,700; 8,000 to 11,300 where a connection holds its last request. */
const MOST_HELD_BY_IDLE_BYTES = 4_000;
const IDLE_CONNECTIONS = 100;

describe("a request that was answered", () => {
  it.each([
    ["quote", 500],
    ["lookup", 500],
    ["list", 500],
    ["submission", 500],
    // More documents would trigger a full collection.
    ["document", 100],
  ])("is not held in memory until all garbage is collected: %s", async (work, requests) => {
    expect(await gateway.heldBytes(work, requests)).toBeLessThan(MOST_HELD_BYTES);
  });

  it.each(["quote", "lookup"])("is not held by its idle connection: %s", async (work) => {
    const bytes = await gateway.heldByIdle(work, IDLE_CONNECTIONS);
    expect(bytes).toBeLessThan(MOST_HELD_BY_IDLE_BYTES);
  });
});
