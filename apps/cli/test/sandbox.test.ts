import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  type GatewayFolder,
  makeGatewayFolder,
  runCommand,
  sandboxConfiguration,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { program } from "./program.ts";

let folder: GatewayFolder;
let child: ChildProcess;
let printed = "";
/** The base address of all simulated insurers. */
let address: string;
beforeAll(async () => {
  folder = makeGatewayFolder(sandboxConfiguration);
  child = spawn(process.execPath, [program, "sandbox", "--port", "0"], { cwd: folder.path });
  address = await new Promise((resolve, reject) => {
    const read = (text: string): void => {
      printed += text;
      const [, found] = /Simulated insurers +(http\S+)/.exec(printed) ?? [];
      if (found !== undefined && printed.endsWith("\n\n")) resolve(found);
    };
    child.stdout?.setEncoding("utf8").on("data", read);
    child.stderr?.setEncoding("utf8").on("data", read);
    child.once("exit", () => reject(new Error(printed)));
  });
});
afterAll(() => folder.remove());

/** Sends a request to a simulated insurer, in the insurer's dialect. */
async function ask(method: string, path: string, body?: object, headers: object = {}) {
  const response = await fetch(address + path, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith("{") ? JSON.parse(text) : null };
}

/** Logs in, and returns the credentials for provider D's simulated insurer. */
async function credentialsOfD(): Promise<object> {
  const key = { "x-api-key": "sandbox-key-d" };
  const login = { username: "agent-d", password: "sandbox-d" };
  const { body } = await ask("POST", "/provider-d/mtr-api/v5/login", login, key);
  return { ...key, authorization: `Bearer ${body.token}` };
}

const application = {
  contract: { validFrom: "2026-12-01", validTo: "2027-11-30" },
  vehicle: { licensePlate: "ΙΚΥ-1234", makeCode: "TOY", model: "YARIS" },
  policyholder: { taxNumber: "012345678", name: "Μαρία" },
  externalReference: "our-id",
};

describe("the command `sandbox` in a separate process", () => {
  it("the command `sandbox` prints the address and the credentials of each simulated insurer", () => {
    for (const letter of ["a", "b", "c", "d", "e"])
      expect(printed).toContain(`${address}/provider-${letter}`);
    expect(printed).toContain("x-api-key: sandbox-key-b");
    expect(printed).toContain("login agent-d / sandbox-d");
  });

  it.each([
    ["GET", "/provider-b/v2/travel/countries"],
    ["POST", "/provider-c/gbox-ws/soap/v2/quotation"],
    ["GET", "/provider-d/mtr-api/v5/applications"],
    ["POST", "/provider-e/pension/v1/quotations"],
  ])("a simulated insurer refuses a request without credentials: %s %s", async (method, path) => {
    expect((await ask(method, path)).status).toBe(401);
  });

  it("a simulated insurer answers in the insurer's own format, and the simulated time changes the state of an application", async () => {
    const headers = await credentialsOfD();
    const created = await ask("POST", "/provider-d/mtr-api/v5/applications", application, headers);
    expect(created).toMatchObject({
      status: 201,
      body: { applicationNumber: "D-000001", state: "NEW" },
    });
    const states: unknown[] = [];
    for (const minutes of [0, 20, 150, 200, 2_000]) {
      expect(await ask("PUT", `/-/clock/${minutes}`)).toMatchObject({ status: 200 });
      const path = "/provider-d/mtr-api/v5/applications?taxNumber=012345678&offset=0&limit=9";
      const { body } = await ask("GET", path, undefined, await credentialsOfD());
      const [{ contract, prepay, state }] = body.applications;
      states.push([state, prepay?.paymentCode, contract.policyNumber]);
    }
    expect(states).toEqual([
      ["NEW", undefined, undefined],
      ["IN_ASSESSMENT", undefined, undefined],
      ["ACCEPTED", undefined, undefined],
      ["PREPAY", "RF18D-000001", undefined],
      ["POLICY", undefined, "P-D-000001"],
    ]);
    const found = await ask(
      "GET",
      "/provider-d/mtr-api/v5/applications/by-reference/our-id",
      undefined,
      await credentialsOfD(),
    );
    expect(found).toMatchObject({ status: 200, body: { applicationNumber: "D-000001" } });
    // The token of the first login has expired by the sandbox's clock.
    expect(
      (await ask("GET", "/provider-d/mtr-api/v5/applications", undefined, headers)).status,
    ).toBe(401);
    expect((await ask("PUT", "/-/clock/-1")).status).toBe(400);
  });

  it("the command `sandbox` ends with exit code 0 on SIGTERM", async () => {
    child.removeAllListeners("exit").kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it.each([
    [["--port", "70000"], {}, 2],
    [["--port", "0"], { SANDBOX_AHEAD_MINUTES: "soon" }, 1],
  ])(
    "the command `sandbox` refuses an invalid port or SANDBOX_AHEAD_MINUTES: %j with %j",
    async (flags, environment, code) => {
      expect(await runCommand(folder.path, ["sandbox", ...flags], environment)).toMatchObject({
        code,
      });
    },
  );
});
