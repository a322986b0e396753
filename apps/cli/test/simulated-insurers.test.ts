import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type GatewayFolder,
  makeGatewayFolder,
  sandboxConfiguration,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunInProcess, runsInProcess } from "./in-process.ts";

let folder: GatewayFolder;
let run: RunInProcess;
beforeAll(() => {
  folder = makeGatewayFolder(sandboxConfiguration);
  run = runsInProcess({ folder: folder.path, address: "" });
});
afterAll(() => folder.remove());

/**
 * Runs the command `sandbox` and `work`, and then sends the signal. Returns the output, in which ADDRESS replaces the
 * sandbox's address.
 */
async function served(
  flags: readonly string[],
  signal: "SIGINT" | "SIGTERM",
  environment: Readonly<Record<string, string>> = {},
  work: (address: string) => Promise<void> = async () => {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const listening = [process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")];
  const printed = Promise.withResolvers<string>();
  const ended = run(["sandbox", "--port", "0", ...flags], {
    environment,
    printed: printed.resolve,
  });
  const [, address = ""] = /Simulated insurers +(\S+)/.exec(await printed.promise) ?? [];
  await work(address);
  process.emit(signal);
  const { code, stderr, stdout } = await ended;
  await expect(fetch(address), "they are closed").rejects.toThrow();
  expect([process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")]).toEqual(listening);
  return { code, stderr, stdout: stdout.replaceAll(address, "ADDRESS") };
}

describe("the command `sandbox`", () => {
  it("the command `sandbox` prints each simulated insurer's credentials, and ends with exit code 0 after a signal", async () => {
    expect(await served([], "SIGINT")).toEqual({
      code: 0,
      stderr: "",
      stdout: [
        "",
        "  Simulated insurers   ADDRESS",
        "  provider-a   ADDRESS/provider-a   ",
        "  provider-b   ADDRESS/provider-b   x-api-key: sandbox-key-b",
        "  provider-c   ADDRESS/provider-c   authorization: Basic c2FuZGJveC1jOnNhbmRib3gtYw==",
        "  provider-d   ADDRESS/provider-d   x-api-key: sandbox-key-d, login agent-d / sandbox-d",
        "  provider-e   ADDRESS/provider-e   OAuth 2 at /oauth2/token: sandbox-e / sandbox-e",
        "",
        "",
      ].join("\n"),
    });
    expect(existsSync(join(folder.path, "records.sqlite"))).toBe(false);
  });

  it("the command `sandbox` stores records in the folder of --data, and sets the clock ahead by SANDBOX_AHEAD_MINUTES", async () => {
    const { code } = await served(
      ["--data", "sandbox-data"],
      "SIGTERM",
      { SANDBOX_AHEAD_MINUTES: "90" },
      async (address) => {
        const { status } = await fetch(`${address}/-/clock/120`, { method: "PUT" });
        expect(status).toBe(200);
      },
    );
    expect([code, existsSync(join(folder.path, "sandbox-data/records.sqlite"))]).toEqual([0, true]);
  });

  it("the command `sandbox` refuses SANDBOX_AHEAD_MINUTES if it is not a number", async () => {
    const environment = { SANDBOX_AHEAD_MINUTES: "soon" };
    const { code, stderr, stdout } = await run(["sandbox", "--port", "0"], { environment });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/SANDBOX_AHEAD_MINUTES|minutes/);
  });
});
