import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { folderWith, installedFiles, lookupDeclaration } from "./harness/installed-providers.ts";
import {
  type ProgramInProcess,
  type ProgramStart,
  startProgram,
} from "./harness/program-in-process.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

/** Creates a folder with one provider that has one lookup. */
const oneProvider = (): string =>
  folderWith(
    installedFiles("provider-m", { endpoints: { listThings: lookupDeclaration("provider-m") } }),
  );

describe("the MCP server's command", () => {
  const help = "(run insurance-gateway-mcp --help for the options)\n";
  const confirm =
    "error: --confirm <who> does not accept the given value; it accepts person, code (who confirms a submission: person, whom the MCP client asks; or code, for clients that cannot ask: the MODEL confirms with a second call, and nothing proves that a person agreed)\n";
  const segment =
    "error: --segment <id=segment...> does not accept the given value (the path segment of a provider if it differs from the provider's id: provider-d=acme; one for each provider)\n";

  it.each<[readonly string[], string]>([
    [["--confirm", "model"], confirm],
    [["--segment", "acme"], segment],
    [["--segment", "=acme"], segment],
    [["--segment", "provider-m="], segment],
    [["--segment", "provider-m=a=b"], segment],
    [["--segment", "provider-m=a", "provider-m=b"], segment],
    [["--gateway"], "error: --gateway <url> has no value\n"],
    [["--verbose"], "error: unknown option '--verbose'\n"],
    [["--confirm=code", "--verbose=2"], "error: unknown option '--verbose'\n"],
    [["--Secret"], "error: unknown option\n"],
    [["-x"], "error: unknown option '-x'\n"],
    [["serve"], "error: too many arguments: every value needs an option before it\n"],
  ])(
    "the MCP server's command rejects invalid arguments with exit code 78 and does not print the arguments' values: %j",
    async (parameters, fault) => {
      const program = await startProgram({ parameters });
      await program.ended;
      expect([program.exitCodes, program.stdout(), program.stderr()]).toEqual([
        [78],
        "",
        fault + help,
      ]);
    },
  );

  it.each([
    [["--token=a'eyJSECRET"]],
    [["-eyJSECRET"]],
    [["--allow", "a' is invalid. eyJSECRET"]],
    [["--allow=a\n'eyJSECRET'"]],
    [["--segment", "eyJ'SECRET"]],
    [["a'eyJSECRET", "eyJSECRET"]],
  ])(
    "the MCP server's command does not print a token that was passed as an argument: %j",
    async (parameters) => {
      const program = await startProgram({ parameters });
      await program.ended;
      expect(program.exitCodes).toEqual([78]);
      expect(program.stderr()).not.toMatch(/eyJ|SECRET/);
    },
  );

  it("the MCP server's command prints all faults of the configuration together", async () => {
    const program = await startProgram({
      parameters: ["--gateway", "ftp://x", "--segment", "provider-m=a", "provider-n=b"],
      environment: {},
      folder: oneProvider(),
    });
    await program.ended;
    expect([program.exitCodes, program.stdout(), program.stderr()]).toEqual([
      [78],
      "",
      `The configuration is invalid:
  GATEWAY_TOKEN is not set: set it to the gateway's bearer token, or set GATEWAY_TOKEN_FILE to the name of a file with the token; there is no option for the token
  --segment: provider-n is not one of the providers (provider-m)
`,
    ]);
  });

  it("the MCP server's command exits with 1 if an installed package cannot be read", async () => {
    const folder = folderWith({ "node_modules/@insurance-gateway/provider-m/package.json": "{" });
    const program = await startProgram({ folder });
    await program.ended;
    expect([program.exitCodes, program.stdout()]).toEqual([[1], ""]);
    expect(program.stderr()).toMatch(/JSON.*\n$/);
  });

  it("the MCP server's command prints the package's version and exits with 0 for `--version`", async () => {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    const version = await startProgram({ parameters: ["--version"], environment: {} });
    await version.ended;
    expect([version.exitCodes, version.stdout(), version.stderr()]).toEqual([
      [0],
      `${manifest.version}\n`,
      "",
    ]);
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
const callTool = { method: "tools/call", params: { name: "provider-m_listThings" } };

interface Message {
  readonly id: number;
  readonly result: Record<string, unknown>;
}

/** Starts the MCP server's program with `initialize` and the given requests as input, with ids from 0. */
async function serving(
  requests: readonly object[],
  start: ProgramStart = {},
): Promise<ProgramInProcess> {
  const program = await startProgram({ folder: oneProvider(), ...start });
  for (const [id, request] of [initialize, ...requests].entries())
    program.input.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...request })}\n`);
  while (program.stdout() === "") await setImmediate();
  return program;
}

/** Returns the program's answers in the order of the requests. */
function answersOf({ stdout }: ProgramInProcess): readonly Message[] {
  const lines = stdout().trimEnd().split("\n");
  const messages = lines.map((line): Message => JSON.parse(line));
  return messages.toSorted((one, other) => one.id - other.id);
}

describe("the MCP server", () => {
  it("the MCP server answers all messages that it received before the end of its input, and exits with 0", async () => {
    const arrivals: unknown[] = [];
    const gateway = await startSimulatedGateway(({ url }, response) => {
      arrivals.push(url);
      response.writeHead(200, { "content-type": "application/json" }).end('{"media":{}}');
    });
    const parameters = ["--segment", "provider-m=acme"];
    const environment = { GATEWAY_TOKEN: "t", GATEWAY_URL: gateway };
    const program = await serving([callTool], { environment, parameters });
    program.input.write("no JSON\n");
    program.input.end();
    await program.ended;
    const [first, second, ...more] = answersOf(program);
    expect([first?.result.serverInfo, second?.id, more]).toEqual([
      { name: "insurance-gateway", title: "Insurance Gateway", version: expect.any(String) },
      1,
      [],
    ]);
    expect([program.exitCodes, program.stderr(), arrivals]).toEqual([[0], "", ["/acme/things"]]);
    expect(program.logged).toEqual([
      ["info", "serving"],
      ["warn", "a message could not be read"],
      [expect.any(String), expect.any(String), expect.objectContaining({ kind: "lookup" })],
    ]);
  });

  it.each(["SIGTERM", "SIGINT"])(
    "the MCP server exits with 0 after %s, and with 1 after a second signal",
    async (signal) => {
      const program = await serving([]);
      const stop = program.listener(signal);
      stop();
      await program.ended;
      expect([program.exitCodes, program.logged]).toEqual([[0], [["info", "serving"]]]);
      stop();
      expect([program.exitCodes, program.logged]).toEqual([
        [0, 1],
        [
          ["info", "serving"],
          ["warn", "ended immediately; a submission may be in progress"],
        ],
      ]);
    },
  );

  it("the MCP server exits with 0 when its standard output closes", async () => {
    const program = await serving([]);
    program.output.emit("error", new Error("EPIPE"));
    await program.ended;
    expect(program.exitCodes).toEqual([0]);
  });

  it("the MCP server exits with 1 after a message that is too long", async () => {
    const program = await serving([]);
    program.input.write(Buffer.alloc(10 * 1024 * 1024 + 1, "x"));
    await program.ended;
    expect([program.exitCodes, program.logged]).toEqual([
      [1],
      [
        ["info", "serving"],
        ["warn", "a message could not be read"],
      ],
    ]);
  });

  it.each([
    ["uncaughtException", new RangeError("of Ελένη"), "RangeError"],
    ["unhandledRejection", "of Ελένη", "string"],
  ])(
    "the MCP server exits with 1 after an %s and logs only the name of the error's class or type",
    async (event, error, code) => {
      const program = await serving([]);
      program.listener(event)(error);
      expect([program.exitCodes, program.logged, program.stderr()]).toEqual([
        [1],
        [
          ["info", "serving"],
          ["fatal", "the process failed", { code }],
        ],
        "",
      ]);
      // In this process the program continues until its input ends.
      program.input.end();
      while (program.exitCodes.length < 2) await setImmediate();
    },
  );
});
