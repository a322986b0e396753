import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  developmentToken,
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  runCommand,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";

let insurer: Insurer;
let folder: GatewayFolder;
let gateway: GatewayProcess;
let token: string;

const configuration = (provider: object = {}): object => ({
  providers: [
    {
      ...insurerConfiguration("a", insurer.baseUrl, {
        credentials: { type: "bearer", token: { file: "token.txt" } },
      }),
      // With `freshMinutes` 0, each lookup reaches the insurer.
      answers: { freshMinutes: 0 },
      ...provider,
    },
  ],
});

beforeAll(async () => {
  insurer = await startInsurer(json(200, { items: [] }));
  folder = makeGatewayFolder(configuration());
  writeFileSync(join(folder.path, "token.txt"), "first");
  gateway = await startGatewayProcess(folder.path);
  token = await developmentToken(folder.path);
});
beforeEach(() => {
  folder.writeConfiguration(configuration());
});
afterAll(async () => {
  await gateway.stop();
  folder.remove();
  await insurer.close();
});

/** Sends a lookup, and returns the caller's limit from the answer. */
async function limit(): Promise<string | null> {
  const response = await fetch(`${gateway.address}/provider-a/auto/brands`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  return response.headers.get("ratelimit-policy");
}

describe("a running gateway process", () => {
  it("SIGHUP makes a gateway reload its configuration without an interruption", async () => {
    folder.writeConfiguration(configuration({ callerLimit: { requests: 700 } }));
    gateway.child.kill("SIGHUP");
    await vi.waitFor(async () => expect(await limit()).toBe('"caller";q=700;w=60'), 20_000);
  });

  it("the command `reload` makes a gateway reload its configuration, and prints the changed keys", async () => {
    await runCommand(folder.path, ["reload"]);
    folder.writeConfiguration(configuration({ callerLimit: { requests: 800 } }));
    const { code, stderr, stdout } = await runCommand(folder.path, ["reload"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { pid } = gateway.child;
    // The gateway's check of the files every minute may have applied the change before the command.
    const applied = "(applied: providers\\[0\\]\\.callerLimit\\.requests|unchanged)";
    expect(stdout).toMatch(new RegExp(`^process ${pid}  ${applied}\\n$`));
    expect(await limit()).toBe('"caller";q=800;w=60');
  });

  it("the command `reload` prints every fault and exits with code 78 if the new configuration is invalid", async () => {
    const before = await limit();
    folder.writeConfiguration(
      configuration({ callerLimit: { requests: 0 }, timeouts: { totalMs: "soon" }, segment: "x" }),
    );
    const { code, stderr } = await runCommand(folder.path, ["reload"]);
    expect(code).toBe(78);
    expect(stderr).toMatch(/^ {2}providers\[0\]\.callerLimit\.requests: /m);
    expect(stderr).toMatch(/^ {2}providers\[0\]\.timeouts\.totalMs: /m);
    expect(await limit()).toBe(before);
  });
});

describe("the command `reload` without a running gateway", () => {
  it("the command `reload` reports that no gateway runs in the folder, and exits with code 1", async () => {
    const other = makeGatewayFolder(configuration());
    const { code, stderr } = await runCommand(other.path, ["reload"]);
    other.remove();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `No gateway of this machine serves from ${join(other.path, "data")}.\n`,
    });
  });
});
