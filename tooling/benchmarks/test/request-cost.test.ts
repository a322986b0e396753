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
const folders: GatewayFolder[] = [];
let gateway: ProbedGateway;

beforeAll(async () => {
  insurer = await startWorkInsurer();
  gateway = await start(["a", "b", "c", "d", "e"], { freshMinutes: 0 });
});
afterAll(async () => {
  await gateway.stop();
  insurer.close();
  for (const folder of folders) folder.remove();
});

async function start(letters: readonly string[], answers: object): Promise<ProbedGateway> {
  const folder = makeGatewayFolder({
    providers: letters.map((letter) => ({
      package: `@insurance-gateway/provider-${letter}`,
      ...providerBefore(insurer.baseUrl),
      answers,
    })),
  });
  folders.push(folder);
  return startProbedGateway(folder.path, await developmentToken(folder.path));
}

describe("a request at the built gateway", () => {
  it.each(["lookup", "quote"])(
    "hashes no token again that the same connection has sent before: %s",
    async (work) => {
      expect(await gateway.tokenHashes(work)).toBe(0);
    },
  );

  it("hashes the token of each new connection", async () => {
    expect(await gateway.tokenHashesOnNewConnection("lookup")).toBe(1);
  });

  it.each(["lookup", "quote"])(
    "sends the head of an answer and its content together: %s",
    async (work) => {
      expect(await gateway.piecesOf(work)).toBe(1);
    },
  );
});

/**
 * Measured on 2026-11-23: 1,400 to 3,500, what was compiled meanwhile among it; 16,000 and more where V8's old generation
 * has something of each request that refers to the rest of it.
 */
const MOST_HELD_BYTES = 8_000;

/** Measured on 2026-11-23: 1,400 to 1,700; 8,000 to 11,300 where a connection holds its last request. */
const MOST_HELD_BY_IDLE_BYTES = 4_000;
const IDLE_CONNECTIONS = 100;

/** Measured on 2026-11-27: 4,500 to 6,400; 10,900 to 13,500 where a connection holds its first request as long as it is open. */
const MOST_HELD_BY_CONNECTION_BYTES = 8_000;

// A document has a connection of its own, whose parts V8 keeps until then; `document-memory.test.ts` limits what it holds.
describe("a request that was answered", () => {
  it.each([
    ["quote", 500],
    ["lookup", 500],
    ["list", 500],
    ["submission", 500],
  ])("is not held in memory until all garbage is collected: %s", async (work, requests) => {
    expect(await gateway.heldBytes(work, requests)).toBeLessThan(MOST_HELD_BYTES);
  });

  it.each(["quote", "lookup"])("is not held by its idle connection: %s", async (work) => {
    const bytes = await gateway.heldByIdle(work, IDLE_CONNECTIONS);
    expect(bytes).toBeLessThan(MOST_HELD_BY_IDLE_BYTES);
  });

  it.each(["quote", "lookup"])("is not held by the connection that it opened: %s", async (work) => {
    const bytes = await gateway.heldByConnection(work, IDLE_CONNECTIONS);
    expect(bytes).toBeLessThan(MOST_HELD_BY_CONNECTION_BYTES);
  });
});
