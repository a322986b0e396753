import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { attachSandbox } from "../src/attach.ts";

const sandboxOf = (letter: string): string =>
  fileURLToPath(new URL(`../../provider-${letter}/dist/sandbox.js`, import.meta.url));

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "attach-")), "sandbox");
  mkdirSync(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const addressFile = (): string => join(folder, "address.json");

describe("attachSandbox", () => {
  it("`attachSandbox` starts a sandbox process, which ends when the last gateway detaches", async () => {
    const attached = await attachSandbox(folder, [sandboxOf("a")]);
    expect(await statusAt(attached.address)).toBe(200);
    await attached.detach();
    expect(existsSync(addressFile())).toBe(false);
  });

  it("simultaneous calls of `attachSandbox` share one sandbox process", async () => {
    const [one, other] = await Promise.all([
      attachSandbox(folder, [sandboxOf("a")]),
      attachSandbox(folder, [sandboxOf("a")]),
    ]);
    expect(one.address).toBe(other.address);
    await one.detach();
    await other.detach();
  });

  it("`attachSandbox` does not stop a sandbox that a gateway uses, even if the call names other providers", async () => {
    const attached = await attachSandbox(folder, [sandboxOf("a")]);
    await expect(attachSandbox(folder, [sandboxOf("b")])).rejects.toThrow(
      /stop that gateway first/,
    );
    expect(await statusAt(attached.address)).toBe(200);
    await attached.detach();
  });

  it("`attachSandbox` does not stop a foreign process at the address of an ended sandbox", async () => {
    const asked: string[] = [];
    const stranger = createServer(({ method, url }, response) => {
      asked.push(`${method} ${url}`);
      response.writeHead(404, { "content-type": "application/json" }).end('{"error":"?"}');
    }).listen(0, "127.0.0.1");
    await once(stranger, "listening");
    // A server that listens on TCP has an address with a port.
    const { port } = stranger.address() as AddressInfo;
    writeFileSync(addressFile(), JSON.stringify({ address: `http://127.0.0.1:${port}` }));
    const attached = await attachSandbox(folder, [sandboxOf("a")]);
    expect(attached.address).not.toContain(`:${port}`);
    expect(asked).toEqual(["GET /-/"]);
    await attached.detach();
    stranger.close();
  });

  it("`attachSandbox` throws an error with the end of the sandbox's log if the sandbox does not start", async () => {
    const broken = join(folder, "sandbox.js");
    writeFileSync(broken, 'import "decimal-that-is-not-installed";');
    await expect(attachSandbox(folder, [broken])).rejects.toThrow(/decimal-that-is-not-installed/);
  });

  it("`attachSandbox` finds the sandbox process that a killed gateway has left", async () => {
    const attach = `
      import { attachSandbox } from ${JSON.stringify(new URL("../dist/attach.js", import.meta.url).href)};
      const attached = await attachSandbox(${JSON.stringify(folder)}, ${JSON.stringify([sandboxOf("a")])});
      console.log(attached.address);`;
    const killed = await runProgram(`${attach} process.kill(process.pid, "SIGKILL");`);
    const next = await runProgram(`${attach} await attached.detach();`);
    expect(killed).toMatch(/^http:/);
    expect(next).toBe(killed);
    expect(existsSync(addressFile())).toBe(false);
  });
});

/** Returns the status with which provider A's simulated insurer answers at a sandbox's address. */
async function statusAt(address: string): Promise<number> {
  const response = await fetch(`${address}/provider-a/MotorService/GetListItems`, {
    method: "POST",
    body: "{}",
  });
  return response.status;
}

/** Runs a program on the built package in a separate process. Returns the program's output. */
async function runProgram(program: string): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  await once(child, "close");
  return printed;
}
