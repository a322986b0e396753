import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  runCommand,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";

let folder: GatewayFolder;
let running: GatewayProcess | undefined;
beforeEach(() => {
  // The test never calls the insurer, so no server needs to listen at the insurer's address.
  folder = makeGatewayFolder({ providers: [insurerConfiguration("d", "http://127.0.0.1:9")] });
});
afterEach(async () => {
  await running?.stop("SIGKILL");
  running = undefined;
  folder.remove();
});

describe("a second gateway on the same folder", () => {
  it("a second gateway with the same data folder ends with a message that names the store's file and the remedy", async () => {
    running = await startGatewayProcess(folder.path);
    const second = await runCommand(folder.path, ["serve"]);
    expect(second).toMatchObject({ code: 78, signal: null, stdout: "" });
    const file = join(folder.path, "data", "submissions.sqlite");
    expect(second.stderr).toContain(`Another gateway serves from ${file},`);
    for (const remedy of ["Stop that gateway", "DATABASE_URL"])
      expect(second.stderr).toContain(remedy);
    expect(second.stderr).not.toContain("GATEWAY_DATA");
  });

  it("a second gateway with a separate data folder serves at the same time", async () => {
    running = await startGatewayProcess(folder.path);
    const other = await startGatewayProcess(folder.path, { GATEWAY_DATA: "./other" });
    expect((await other.stop()).code).toBe(0);
  });

  it("a second gateway serves after the first gateway was killed", async () => {
    running = await startGatewayProcess(folder.path);
    expect((await running.stop("SIGKILL")).signal).toBe("SIGKILL");
    running = await startGatewayProcess(folder.path);
    expect((await running.stop()).code).toBe(0);
  });
});

describe("a store that a newer gateway wrote", () => {
  it("a gateway ends with the exit code 78, so that no supervisor starts the gateway again, if a newer gateway wrote the store", async () => {
    running = await startGatewayProcess(folder.path);
    await running.stop();
    const store = new DatabaseSync(join(folder.path, "data", "submissions.sqlite"));
    store.exec("INSERT INTO gateway_schema (version) VALUES (1000)");
    store.close();
    const ended = await runCommand(folder.path, ["serve"]);
    expect(ended).toMatchObject({ code: 78, signal: null, stdout: "" });
    expect(ended.stderr).toContain("schema version 1000");
  });
});
