import { once } from "node:events";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { join } from "node:path";
import {
  developmentToken,
  type GatewayFolder,
  makeGatewayFolder,
  runCommand,
  sandboxConfiguration,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterEach, describe, expect, it, vi } from "vitest";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { json, startInsurer } from "../harness/insurer.ts";

let folder: GatewayFolder;
afterEach(() => folder.remove());

const [providerA] = sandboxConfiguration.providers;

describe("the start of a gateway", () => {
  it("`serve` prints the gateway's address, the command for a token and an example call, and no token", async () => {
    folder = makeGatewayFolder({ providers: [providerA] });
    const gateway = await startGatewayProcess(folder.path);
    const token = await developmentToken(folder.path);
    const words = gateway.output();
    expect(words).toContain(`Insurance Gateway   ${gateway.address}`);
    expect(words).toMatch(/^ {2}Reference +http:\S+\/reference#start=[\w-]{43}$/m);
    expect(words).toContain("TOKEN=$(insurance-gateway token)");
    const [, line = ""] = /^ +(curl .*)$/m.exec(words) ?? [];
    expect(line).toBe(
      `curl -H "Authorization: Bearer $TOKEN" ${gateway.address}/provider-a/auto/brands`,
    );
    expect(words).not.toMatch(/eyJ/);
    const response = await fetch(line.split(" ").at(-1) ?? "", {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
    await gateway.stop();
  });

  it("the gateway answers health probes only on the operations address", async () => {
    folder = makeGatewayFolder({ providers: [providerA] });
    const gateway = await startGatewayProcess(folder.path);
    for (const probe of ["live", "ready"]) {
      const response = await fetch(`${gateway.operationsAddress}/health/${probe}`);
      expect([response.status, await response.json()]).toEqual([200, { status: probe }]);
      expect((await fetch(`${gateway.address}/health/${probe}`)).status).toBe(401);
    }
    await gateway.stop();
  });

  it("`serve` reports a port that another program uses, stops the started sandboxes, and exits with code 1", async () => {
    folder = makeGatewayFolder({ providers: [providerA] });
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    // A server that listens on TCP has an address with a port.
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await runCommand(folder.path, ["serve"], { PORT: String(port) });
    expect([code, stderr]).toEqual([1, expect.stringContaining("PORT")]);
    expect(existsSync(join(folder.path, "data", "sandbox", "address.json"))).toBe(false);
    expect(existsSync(join(folder.path, "data", "sandbox", "records.sqlite"))).toBe(true);
    taken.close();
  });

  it("the gateway creates its files so that only the files' owner can read them", async () => {
    folder = makeGatewayFolder({ providers: [providerA] });
    const gateway = await startGatewayProcess(folder.path);
    await gateway.stop();
    for (const path of ["data", "data/sandbox", "data/sandbox/records.sqlite"])
      expect([path, statSync(join(folder.path, path)).mode & 0o077]).toEqual([path, 0]);
  });

  it("the command `token` explains the remedy for a broken key file of the development issuer", async () => {
    folder = makeGatewayFolder({ providers: [providerA] });
    mkdirSync(join(folder.path, "data"));
    for (const content of ["", "{}"]) {
      writeFileSync(join(folder.path, "data", "development-issuer.json"), content);
      const { code, stderr } = await runCommand(folder.path, ["token"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("Delete it")]);
    }
  });

  it.each([
    [["--help"], 0, "Exit codes"],
    [["sevre"], 2, "--help"],
    [["token", "--expires-in", "soon"], 2, "seconds"],
  ])("the command line with the arguments %j prints advice", async (parameters, code, words) => {
    folder = makeGatewayFolder();
    const ended = await runCommand(folder.path, parameters);
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([
      code,
      expect.stringContaining(words),
    ]);
  });
});

describe("the stop of a gateway", () => {
  it("SIGTERM lets the gateway finish current requests, refuse new requests, and then exit with code 0", async () => {
    let release: (() => void) | undefined;
    const insurer = await startInsurer((response, arrival) => {
      release = () => json(200, { items: [] })(response, arrival);
    });
    folder = makeGatewayFolder({ providers: [insurerConfiguration("a", insurer.baseUrl)] });
    const gateway = await startGatewayProcess(folder.path);
    const authorization = `Bearer ${await developmentToken(folder.path)}`;
    // A connection without a request must not delay the stop.
    const { hostname, port } = new URL(gateway.address);
    const silent = connect(Number(port), hostname);
    await once(silent, "connect");

    const arrived = insurer.nextArrival();
    const answer = fetch(`${gateway.address}/provider-a/auto/brands`, {
      headers: { authorization },
    });
    await arrived;
    const ended = gateway.stop();
    // The gateway may get a signal again, because npm repeats a signal that the whole process group has received.
    void gateway.stop();
    void gateway.stop("SIGINT");
    await once(silent, "close");
    await expect(fetch(`${gateway.address}/provider-a/auto/brands`)).rejects.toThrow();
    const ready = await fetch(`${gateway.operationsAddress}/health/ready`);
    expect(ready.status).toBe(503);

    release?.();
    const response = await answer;
    expect([response.status, await response.text()]).toEqual([200, '{"items":[]}']);
    expect(await ended).toMatchObject({ code: 0, signal: null });
    await insurer.close();
  });

  it("SIGTERM lets the gateway wait until a slow reader of the log has received every line", async () => {
    folder = makeGatewayFolder({ providers: [providerA] });
    const gateway = await startGatewayProcess(folder.path);
    // The log has more lines than the operating system buffers for a slow reader.
    const requests = 2_000;
    const authorization = `Bearer ${await developmentToken(folder.path)}`;
    gateway.child.stdout?.pause();
    for (let sent = 0; sent < requests; sent += 50)
      await Promise.all(
        Array.from({ length: 50 }, async () =>
          (await fetch(gateway.address, { headers: { authorization } })).text(),
        ),
      );
    const ended = gateway.stop();
    // When the operations address is closed, the gateway only waits for the reader of the log.
    await vi.waitFor(() => expect(fetch(gateway.operationsAddress)).rejects.toThrow(), 20_000);
    gateway.child.stdout?.resume();
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
    const lines = gateway.output().split("\n");
    expect(lines.filter((line) => line.endsWith('"msg":"request"}'))).toHaveLength(requests);
  });
});
