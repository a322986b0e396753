import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  developmentToken,
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  sandboxConfiguration,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { sendRequest, specificationRequests } from "@insurance-gateway/specification";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let folder: GatewayFolder;
let token: string;
beforeEach(async () => {
  folder = makeGatewayFolder(sandboxConfiguration);
  token = await developmentToken(folder.path);
});
afterEach(() => folder.remove());

async function call(gateway: GatewayProcess, number: number): Promise<unknown> {
  const request = specificationRequests().find((one) => one.number === number);
  if (request === undefined) throw new Error(`The fixture has no request ${number}`);
  const response = await sendRequest(gateway.address, token, request);
  return response.json();
}

function addressFile(): string {
  return join(folder.path, "data", "sandbox", "address.json");
}

describe("the sandbox process", () => {
  it("the sandbox process continues after a gateway is killed, and a restarted gateway uses this process with the stored records", async () => {
    const first = await startGatewayProcess(folder.path);
    await call(first, 4);
    const address = readFileSync(addressFile(), "utf8");
    await first.stop("SIGKILL");
    expect(readFileSync(addressFile(), "utf8")).toBe(address);

    const second = await startGatewayProcess(folder.path);
    expect(readFileSync(addressFile(), "utf8")).toBe(address);
    expect(await call(second, 6)).toMatchObject({
      total: 1,
      items: [{ applicationId: "D-000001" }],
    });
    await second.stop();
    expect(existsSync(addressFile())).toBe(false);
  });

  it("the sandbox process ends when the last gateway stops, and the records of the process stay in a file", async () => {
    const first = await startGatewayProcess(folder.path);
    const { address }: { address: string } = JSON.parse(readFileSync(addressFile(), "utf8"));
    await call(first, 4);
    await first.stop();
    expect(existsSync(addressFile())).toBe(false);
    await expect(fetch(address)).rejects.toThrow();

    const second = await startGatewayProcess(folder.path);
    expect(await call(second, 6)).toMatchObject({
      total: 1,
      items: [{ applicationId: "D-000001" }],
    });
    await second.stop();
  });

  it("a gateway starts a new sandbox process if the configured providers differ from the providers of the running process", async () => {
    const first = await startGatewayProcess(folder.path);
    const before = readFileSync(addressFile(), "utf8");
    await first.stop("SIGKILL");
    folder.writeConfiguration({ providers: sandboxConfiguration.providers.slice(3) });
    const second = await startGatewayProcess(folder.path);
    expect(readFileSync(addressFile(), "utf8")).not.toBe(before);
    expect(await call(second, 6)).toMatchObject({ total: 0 });
    await second.stop();
  });
});

describe("sandbox scenarios", () => {
  it("the gateway lists the sandbox scenarios to callers with a token, and a header or a test value selects a scenario", async () => {
    const gateway = await startGatewayProcess(folder.path);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${gateway.address}/sandbox/scenarios`)).status).toBe(401);
    const list = await fetch(`${gateway.address}/sandbox/scenarios`, { headers });
    expect(await list.json()).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({
          provider: "provider-d",
          name: "DECLINED",
          endpoint: "createApplication",
        }),
        expect.objectContaining({
          provider: "provider-e",
          name: "UNAVAILABLE",
          when: { pointer: "/body/monthlyContribution", equals: 66.66 },
        }),
      ]),
    });

    const quote = await fetch(`${gateway.address}/provider-e/life/core/fast-pension-quote`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({
        personDob: "1985-06-15",
        monthlyContribution: 66.66,
        durationYears: 20,
      }),
    });
    expect(quote.status).toBe(503);
    expect(await quote.json()).toMatchObject({ code: "PROVIDER_UNAVAILABLE", retry: "safe" });
    expect(quote.headers.get("retry-after")).toBe("5");

    const ipid = await fetch(
      `${gateway.address}/provider-c/application/ipid?applicationId=C-0002`,
      {
        headers: { ...headers, "x-sandbox-scenario": "DOCUMENT_NOT_READY" },
      },
    );
    expect(ipid.status).toBe(409);
    await gateway.stop();
  });
});
