import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { inspect } from "node:util";
import { createGateway } from "@insurance-gateway/core";
import { providerD } from "@insurance-gateway/provider-d";
import {
  developmentToken,
  type GatewayFolder,
  type GatewayProcess,
  makeGatewayFolder,
  runCommand,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { type Behaviour, type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { canaries, type Seek, seeking } from "./canary.ts";
import { echoingBehaviours } from "./echoing-insurer.ts";
import { type PlantedRequest, plantedRequests } from "./planted-requests.ts";

/** The gateway's answer to a caller, including the headers. */
interface Said {
  readonly request: string;
  readonly status: number;
  readonly text: string;
}

let folder: GatewayFolder;
let insurer: Insurer;
let tokens: Insurer;
let gateway: GatewayProcess;
let token: string;
let seek: Seek;
const said: Said[] = [];
let metrics = "";
let providers = "";
let usage = "";
let clientErrors: readonly string[] = [];
let kept: readonly (readonly [string, Buffer])[] = [];

beforeAll(async () => {
  insurer = await startInsurer(json(200, {}));
  tokens = await startInsurer(giveTokens);
  const credentials = [
    { type: "apiKey", header: "x-api-key", value: { env: "CREDENTIAL" } },
    {
      type: "oauth2",
      tokenUrl: `${tokens.baseUrl}/token`,
      clientId: "broker",
      clientSecret: { env: "CLIENT_SECRET" },
    },
  ];
  const providers = ["a", "c", "d", "e"].map((letter) => ({
    ...insurerConfiguration(letter, insurer.baseUrl, { credentials }),
    timeouts: { totalMs: 2_000, submissionMs: 2_000 },
    retries: { firstWaitMs: 1, attempts: 2 },
    breaker: { failuresInRow: 10_000, minCalls: 10_000 },
    callerLimit: { requests: 100_000 },
  }));
  const authentication = { refusedTokens: 100_000 };
  folder = makeGatewayFolder({ providers, authentication });
  gateway = await startGatewayProcess(folder.path, {
    CREDENTIAL: canaries.insurerCredential,
    CLIENT_SECRET: canaries.clientSecret,
  });
  token = await developmentToken(folder.path, "--subject", "broker-of-the-canaries");
  const [, claims = "", signature = ""] = token.split(".");
  seek = seeking([...Object.values(canaries), claims, signature]);
  await plantEverywhere();
});
afterAll(async () => {
  await insurer.close();
  await tokens.close();
  folder.remove();
});

/** A token server that fails for every second request. Every answer quotes the gateway's request. */
const giveTokens: Behaviour = (response, arrival) => {
  const quoted = { error: "invalid_client", error_description: arrival };
  const isGood = tokens.arrivals.length % 2 === 1;
  const answer = isGood
    ? { access_token: canaries.insurerToken, expires_in: 1, ...quoted }
    : quoted;
  json(isGood ? 200 : 503, answer)(response, arrival);
};

async function plantEverywhere(): Promise<void> {
  for (const behaviour of Object.values(echoingBehaviours)) {
    insurer.behaviour = behaviour;
    for (const planted of plantedRequests.reaching) said.push(await send(planted));
  }
  for (const planted of plantedRequests.refused) said.push(await send(planted));
  clientErrors = await errorsOfClient();
  metrics = await textOf("/metrics");
  providers = (await textOf("/providers")) + (await textOf("/"));
  await gateway.stop();
  const printed = await runCommand(folder.path, ["usage", "--format", "json"]);
  usage = printed.stdout + printed.stderr;
  const data = join(folder.path, "data");
  const files = readdirSync(data, { recursive: true, withFileTypes: true });
  kept = files
    .filter((file) => file.isFile())
    .map((file) => [file.name, readFileSync(join(file.parentPath, file.name))] as const);
}

async function textOf(path: string): Promise<string> {
  const response = await fetch(gateway.operationsAddress + path);
  expect(response.status).toBe(200);
  return response.text();
}

/** Sends a request with Node's HTTP module, because fetch refuses to send some of the planted requests. */
function send({ body, headers, method, name, path }: PlantedRequest): Promise<Said> {
  const { promise, reject, resolve } = Promise.withResolvers<Said>();
  const sent = request(gateway.address + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    agent: false,
  });
  sent.once("error", reject);
  sent.once("response", (response) => {
    let text = JSON.stringify(response.headers);
    response.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    response.once("close", () =>
      resolve({ request: name, status: response.statusCode ?? 0, text }),
    );
  });
  sent.end(body);
  return promise;
}

/** Returns the client's errors as text, as the log of a calling program may contain them. */
async function errorsOfClient(): Promise<readonly string[]> {
  const gatewayClient = createGateway({ baseUrl: gateway.address, token, timeout: 3_000 });
  const client = gatewayClient.provider(providerD);
  const { afm, fullName, plateNumber } = canaries;
  const body = {
    policy: { startDate: "2026-12-01", endDate: "2027-11-30" },
    vehicle: { plateNumber, manufacturerCode: "TOY", modelCode: "Yaris" },
    holder: { afm, fullName },
  };
  const calls: readonly (() => PromiseLike<unknown>)[] = [
    () => client.createApplication({ body }),
    () => client.createApplication({ body: { ...body, policy: { startDate: afm, endDate: afm } } }),
    () => client.searchApplications({ query: { clientAfm: afm } }),
    () => client.searchApplications({ query: { clientAfm: fullName } }),
  ];
  const errors: string[] = [];
  for (const behaviour of Object.values(echoingBehaviours)) {
    insurer.behaviour = behaviour;
    for (const call of calls)
      try {
        await call();
      } catch (error) {
        errors.push(dumpOf(error));
      }
  }
  return errors;
}

function dumpOf(error: unknown): string {
  const shown = inspect(error, { depth: 20, showHidden: true, getters: true });
  return `${shown}${JSON.stringify(error)}${String(error)}${error instanceof Error ? error.stack : ""}`;
}

describe("customers' data, callers' tokens and insurers' credentials", () => {
  it("no error answer of the gateway contains a customer's data, a token or a credential", () => {
    const problems = said.filter(({ status }) => status >= 300);
    expect(problems.length).toBeGreaterThan(150);
    const found = problems.filter(({ text }) => seek(text) !== null);
    expect(found).toEqual([]);
  });

  it("no successful answer of the gateway contains a credential or the caller's token", () => {
    const good = said.filter(({ status }) => status < 300);
    expect(good.length).toBeGreaterThan(0);
    const { clientSecret, insurerCredential, insurerToken } = canaries;
    const ours = [clientSecret, insurerCredential, insurerToken];
    const secrets = seeking([...ours, ...token.split(".").slice(1)]);
    expect(good.filter(({ text }) => secrets(text) !== null)).toEqual([]);
  });

  it("the gateway's log contains no customer's data, token or credential", () => {
    const lines = gateway.output().split("\n");
    expect(lines.length).toBeGreaterThan(150);
    expect(lines.filter((line) => seek(line) !== null)).toEqual([]);
  });

  it("the gateway's metrics and the operator's pages contain no customer's data, token or credential", () => {
    expect(metrics).toContain("insurance_gateway_");
    expect(seek(metrics)).toBeNull();
    expect(seek(providers)).toBeNull();
  });

  it("the usage report contains no customer's data, token or credential", () => {
    expect(usage).toContain('"endpoint":"createApplication"');
    expect(seek(usage)).toBeNull();
  });

  it("no error of the client contains a customer's data, a token or a credential, regardless of how the error is printed", () => {
    expect(clientErrors.length).toBeGreaterThan(20);
    expect(clientErrors.filter((error) => seek(error) !== null)).toEqual([]);
  });

  it("no file of the gateway contains a customer's data, a token or a credential", () => {
    const names = kept.map(([name]) => name);
    expect(names).toContain("submissions.sqlite");
    const found = kept.filter(
      ([, bytes]) => seek(bytes.toString("latin1")) ?? seek(bytes.toString()),
    );
    expect(found.map(([name]) => name)).toEqual([]);
  });
});

it("the function `seek` finds a customer's value in each encoding", () => {
  const { afm, fullName } = canaries;
  for (const text of [
    fullName,
    `?afm=${afm}&x`,
    encodeURIComponent(fullName),
    Buffer.from(`a${fullName}b`).toString("base64"),
    Buffer.from(`ab ${fullName}`).toString("base64url"),
    JSON.stringify(Buffer.from(fullName)),
    Buffer.from(fullName).toString("latin1"),
  ])
    expect(seek(text), text).not.toBeNull();
  expect(seek("nothing of anybody")).toBeNull();
});
