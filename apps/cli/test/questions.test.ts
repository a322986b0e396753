import {
  type Ended,
  type GatewayFolder,
  makeGatewayFolder,
} from "@insurance-gateway/running-gateway";
import type { FaultInjectingInsurer } from "@insurance-gateway/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FailingInsurer, startFailingInsurerInProcess } from "./failing-insurer.ts";
import { type GatewayInProcess, insurerConfiguration } from "./gateway.ts";
import { type RunInProcess, runsInProcess } from "./in-process.ts";
import { applicationFlags } from "./program.ts";

let failing: FailingInsurer<GatewayInProcess>;
let insurer: FaultInjectingInsurer;
let folder: GatewayFolder;
let gateway: GatewayInProcess;
let run: RunInProcess;

beforeAll(async () => {
  failing = await startFailingInsurerInProcess();
  ({ insurer, folder, gateway } = failing);
  // The environment names another gateway, so only the flags can reach this gateway.
  run = runsInProcess({ folder: folder.path, address: "http://127.0.0.1:1" });
});
afterAll(() => failing.stop());

const nobodys = "00000000-0000-4000-8000-000000000000";

/** Checks that an answer has no information about the submission. */
function expectNothingOfTheSubmission({ code, stderr, stdout }: Ended): void {
  expect([code, stdout]).toEqual([69, ""]);
  expect(stderr).not.toMatch(/the insurer|not_sent|got nothing/);
  expect(stderr).toMatch(/^ {2}the submission +its state is not known$/m);
}

describe("the command `submissions ask`", () => {
  it("the command `submissions ask` does not find another caller's submission, and advises to use that caller's token", async () => {
    const ended = await run(["submissions", "ask", nobodys, "--gateway", gateway.address]);
    expectNothingOfTheSubmission(ended);
    expect(ended.stderr).toMatch(/^error: SUBMISSION_NOT_FOUND \(404\)/);
    expect(ended.stderr).toMatch(/what to do +use the sender's token/);
  });

  it("the command `submissions ask` advises to check the gateway if no gateway runs at the address in GATEWAY_URL", async () => {
    const ended = await run(["submissions", "ask", nobodys]);
    expectNothingOfTheSubmission(ended);
    expect(ended.stderr).toMatch(/what to do +check that a gateway runs at/);
  });

  it("the command `submissions ask` advises to set a valid token if the gateway refuses the token", async () => {
    const ended = await run(["submissions", "ask", nobodys, "--gateway", gateway.address], {
      environment: { GATEWAY_TOKEN: "not.a.token" },
    });
    expectNothingOfTheSubmission(ended);
    expect(ended.stderr).toMatch(/what to do +set GATEWAY_TOKEN to a valid token/);
  });

  it("the error of `submissions ask` is a JSON object with --output json", async () => {
    const { code, stderr } = await run(["submissions", "ask", nobodys, "--output=json"]);
    expect([code, JSON.parse(stderr)]).toMatchObject([
      69,
      { code: "CONNECTION_FAILED", outcome: null, submissionId: nobodys },
    ]);
  });

  it("the advice after a submission with an unknown outcome has a `submissions ask` command for the same gateway", async () => {
    insurer.script("execute-then-504");
    const { code, stderr } = await run([
      "call",
      "provider-d",
      "createApplication",
      ...applicationFlags("123456789"),
      `--gateway=${gateway.address}`,
      "--timeout=2",
    ]);
    expect(code).toBe(4);
    const [, ask = ""] = /^ +insurance-gateway (submissions ask .*)$/m.exec(stderr) ?? [];
    expect(ask).toContain(`--gateway ${gateway.address}`);
    expect((await run(ask.split(" "))).code).toBe(0);
  });
});

describe("the token of a call", () => {
  const list = ["call", "provider-d", "searchApplications", "--client-afm=123456789"];
  const issuers = [
    {
      issuer: "https://login.example",
      audience: "insurance-gateway",
      jwksUri: "https://login.example/jwks.json",
      algorithms: ["RS256"],
    },
  ];

  it.each([
    ["https://gateway.example", [], "GATEWAY_TOKEN is not set"],
    ["http://gateway.example", ["--insecure-http"], "GATEWAY_TOKEN is not set"],
    ["http://gateway.example", [], "--insecure-http"],
    ["http://127.0.0.1.example", [], "--insecure-http"],
    ["http://192.0.2.1:8080", [], "--insecure-http"],
  ])(
    "the command `call` creates no development token for a gateway on another machine: %s %j",
    async (address, flags, words) => {
      const { code, stderr } = await run([...list, "--gateway", address, ...flags]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    },
  );

  it("the command `call` creates no development token in production, and reports no fault of the gateway's configuration", async () => {
    const parameters = [...list, "--gateway", gateway.address];
    const none = await run(parameters, { environment: { NODE_ENV: "production" } });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("set GATEWAY_TOKEN")]);
    expect(none.stderr).not.toContain("issuers");
    const GATEWAY_TOKEN = gateway.token;
    const given = await run(parameters, { environment: { NODE_ENV: "production", GATEWAY_TOKEN } });
    expect(given.code).toBe(0);
  });

  it("the command `call` creates no development token if the configuration has issuers", async () => {
    const issued = makeGatewayFolder({
      issuers,
      providers: [insurerConfiguration("d", insurer.baseUrl)],
    });
    const elsewhere = runsInProcess({ folder: issued.path, address: gateway.address });
    const { code, stderr } = await elsewhere(list);
    issued.remove();
    expect([code, stderr]).toEqual([2, expect.stringContaining("GATEWAY_TOKEN is not set")]);
  });
});
