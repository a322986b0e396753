import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Ended,
  endOf,
  programEnvironment,
  type SandboxGateway,
  startSandboxGateway,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("../dist/main.js", import.meta.url));
let gateway: SandboxGateway;

beforeAll(async () => {
  gateway = await startSandboxGateway();
});
afterAll(async () => {
  await gateway.stop();
});

/** Runs the built example program. */
async function runBroker(environment: Record<string, string>): Promise<Ended> {
  const child = spawn(process.execPath, [program], {
    env: programEnvironment({
      GATEWAY_URL: gateway.address,
      BROKER_FOLDER: gateway.folder.path,
      ...environment,
    }),
  });
  return endOf(child);
}

describe("the example broker with a gateway process", () => {
  it("the example broker program insures the example customer and prints the result", async () => {
    const { code, stderr, stdout } = await runBroker({ GATEWAY_TOKEN: gateway.token });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("Ελένη Παπαδοπούλου, Toyota YARIS");
    expect(stdout).toMatch(/Application to Provider D +D-000001, RECEIVED, cover from \d{4}-/);
    expect(stdout).toMatch(/Applications of this customer 1\n/);
    expect(stdout).toMatch(/MODERATE +2\.00 % +27\.468,47\s€/);
    const pdf = readFileSync(join(gateway.folder.path, "ipid.pdf"));
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
    expect(pdf.subarray(-6).toString()).toContain("%%EOF");
    rmSync(join(gateway.folder.path, "ipid.pdf"));
  });

  it("the example broker program explains how to get a token if GATEWAY_TOKEN is not set", async () => {
    const { code, stderr } = await runBroker({});
    expect([code, stderr]).toEqual([2, expect.stringContaining("GATEWAY_TOKEN=$(")]);
  });
});
