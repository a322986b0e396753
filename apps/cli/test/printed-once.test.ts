import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type GatewayFolder,
  makeGatewayFolder,
  runCommand,
  sandboxConfiguration,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { insurerConfiguration } from "./gateway.ts";
import { type RunInProcess, runsInProcess } from "./in-process.ts";

let folder: GatewayFolder;
let run: RunInProcess;
beforeAll(() => {
  folder = makeGatewayFolder(sandboxConfiguration);
  run = runsInProcess({ folder: folder.path, address: "http://127.0.0.1:1" });
});
afterAll(() => folder.remove());

it("the help of the program lists every command in the command's group", async () => {
  const { code, stderr, stdout } = await run(["--help"]);
  expect([code, stderr]).toEqual([0, ""]);
  const [commands = ""] = stdout.split("\nExamples:\n");
  const found = [...commands.matchAll(/^(?:([A-Z]\w+):| {2}([a-z]+)\b.*)$/gm)];
  expect(found.map(([, group, command]) => group ?? `  ${command}`)).toEqual([
    "Options",
    "Serve",
    ...["serve", "reload", "lookups", "sandbox", "token"].map(indented),
    "Look",
    ...["providers", "routes", "openapi", "collections", "help"].map(indented),
    "Call",
    "  call",
    "Operate",
    ...["store", "submissions", "accounts", "answers", "usage", "drift", "record"].map(indented),
  ]);
});

function indented(command: string): string {
  return `  ${command}`;
}

describe("the error message of a command", () => {
  it("the error of an invalid command line is printed only once", async () => {
    expect(await run(["sevre"])).toEqual({
      code: 2,
      signal: null,
      stdout: "",
      stderr:
        "error: unknown command 'sevre'\n(Did you mean serve?)\n(see insurance-gateway --help)\n",
    });
  });

  it("the error of an invalid configuration file is printed only once", async () => {
    const wrong = makeGatewayFolder({ providers: [] });
    onTestFinished(() => wrong.remove());
    const runThere = runsInProcess({ folder: wrong.path, address: "http://127.0.0.1:1" });
    const { code, stderr, stdout } = await runThere(["routes"]);
    expect({ code, stderr: stderr.replace(wrong.path, "FOLDER"), stdout }).toEqual({
      code: 78,
      stderr:
        "The configuration (FOLDER/gateway.config.json) cannot be used:\n  providers: must have a provider\n",
      stdout: "",
    });
  });

  it("a command ends with exit code 1 after an unexpected error, even if the error object has another exit code", async () => {
    const unread = (): never => {
      throw Object.assign(new Error("no place"), { exitCode: 4 });
    };
    expect(await run(["token"], { unread })).toMatchObject({ code: 1, stderr: "no place\n" });
  });

  it.each([
    ["ENOSPC", 1, "standard output cannot be written (ENOSPC)\n"],
    ["EPIPE", 0, ""],
  ])(
    "a command fails if its output cannot be written, but not if the program that reads the output has ended: %s",
    async (code, exit, stderr) => {
      const outputError = Object.assign(new Error("write"), { code });
      expect(await run(["token"], { outputError })).toEqual({
        code: exit,
        signal: null,
        stdout: "",
        stderr,
      });
    },
  );

  it("the program starts a gateway if no command is given, and reports the port if another program already uses the port", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    // A server that listens on TCP has an address with a port.
    const { port } = server.address() as AddressInfo;
    const gateway = makeGatewayFolder({
      providers: [insurerConfiguration("d", "http://127.0.0.1:9")],
    });
    onTestFinished(() => gateway.remove());
    await runCommand(gateway.path, ["store", "create"]);
    const { code, stderr } = await runCommand(gateway.path, [], { PORT: String(port) });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `listen EADDRINUSE: address already in use 127.0.0.1:${port}\nAnother program uses this port: stop it, or set PORT or OPERATIONS_PORT to another port.\n`,
    });
  });
});
