import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeGatewayFolder, programEnvironment } from "@insurance-gateway/running-gateway";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { program } from "./harness/mcp-process.ts";

const folder = makeGatewayFolder();
afterAll(() => folder.remove());

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the MCP server's command in a folder with an input, and waits until the command has ended. */
async function run(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = { GATEWAY_TOKEN: "a.b.c" },
  { input = "", cwd = folder.path, closeStderr = false, answers = 0 } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...parameters], {
    cwd,
    env: programEnvironment(environment),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  if (closeStderr) child.stderr.destroy();
  const ended = once(child, "close");
  child.stdin.write(input);
  for await (const text of child.stdout.setEncoding("utf8")) {
    stdout += text;
    if (stdout.split("\n").length > answers) child.stdin.end();
  }
  const [code] = await ended;
  return { code, stdout, stderr };
}

describe("the MCP server's command", () => {
  it("the MCP server's command exits with code 78 if no provider package is installed", async () => {
    const empty = mkdtempSync(join(tmpdir(), "insurance-gateway-mcp-"));
    onTestFinished(() => rmSync(empty, { recursive: true }));
    const { code, stderr } = await run([], undefined, { cwd: empty });
    expect(code).toBe(78);
    expect(stderr).toContain("no @insurance-gateway/provider-* is installed");
  });

  it("the MCP server's command prints the help and exits with 0 for `--help`", async () => {
    const { code, stdout } = await run(["--help"], {});
    expect(code).toBe(0);
    for (const part of [
      "GATEWAY_TOKEN_FILE",
      "--allow <kind...>",
      "the MODEL",
      "Examples:",
      "Exit codes:",
    ])
      expect(stdout).toContain(part);
  });
});

const initialize = {
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "by hand", version: "1" },
  },
};

/** Returns the messages of a client: `initialize`, then these requests with ids from 1. */
function conversation(...requests: readonly object[]): string {
  return [initialize, ...requests]
    .map((request, id) => `${JSON.stringify({ jsonrpc: "2.0", id, ...request })}\n`)
    .join("");
}

const callTool = (name: string, given: object = {}): object => ({
  method: "tools/call",
  params: { name, arguments: given },
});

describe("the MCP server", () => {
  it("the MCP server writes only protocol messages to standard output and stops after the end of its input", async () => {
    const input = `${conversation(
      { method: "tools/list" },
      callTool("provider-d_searchApplications", { query: { clientAfm: "x" } }),
      // No server listens at this address.
      callTool("provider-a_listBrands"),
      callTool("nothing"),
      callTool("provider-a_listBrands", []),
    )}no JSON at all, of Ελένη\n`;
    const parameters = ["--gateway", "http://127.0.0.1:9", "--allow", "submission"];
    const { code, stderr, stdout } = await run(parameters, undefined, { input, answers: 6 });
    expect(code).toBe(0);
    const messages = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
    expect(new Set(messages.map(({ id }) => id))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    const invalid = messages.filter(({ id }) => id >= 4).map(({ error }) => error?.code);
    expect(invalid).toEqual([-32_602, -32_602]);
    expect(stderr).toContain("a message could not be read");
    expect(stderr).not.toContain("Ελένη");
  });

  it("the MCP server continues to answer if the client closes the server's standard error", async () => {
    const input = conversation({ method: "tools/list" }, callTool("provider-a_listBrands"));
    const parameters = ["--gateway", "http://127.0.0.1:9"];
    const { code, stdout } = await run(parameters, undefined, {
      input,
      answers: 3,
      closeStderr: true,
    });
    expect(code).toBe(0);
    expect(stdout).toContain("CONNECTION_FAILED");
  });
});
