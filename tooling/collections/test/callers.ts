import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createGateway } from "@insurance-gateway/core";
import { createApplication, type MotorApplication } from "@insurance-gateway/provider-d";
import { unpack } from "@insurance-gateway/reference";
import { programEnvironment } from "@insurance-gateway/running-gateway";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import newman from "newman";
import type { RecordedGateway } from "./harness/recorded-gateway.ts";

/** Sends an application to the gateway once and ignores the result. */
export type Caller = (gateway: RecordedGateway, body: MotorApplication) => Promise<void>;

const run = promisify(execFile);
const appProgram = (path: string): string =>
  fileURLToPath(new URL(`../../../apps/${path}`, import.meta.url));

/** The tools with which users send an application. Each tool uses its default idempotency key, if it creates keys. */
export const callers: Readonly<Record<string, Caller>> = {
  curl: (gateway, body) => curl(gateway, body),

  async "our client"({ address, token }, body) {
    const gateway = createGateway({ baseUrl: address, token, timeout: 10_000 });
    await gateway.call(createApplication, { body }).catch(() => undefined);
    await gateway.close();
  },

  async "the command line"({ address, folder, token }, body) {
    const child = spawn(
      process.execPath,
      [
        appProgram("cli/bin/insurance-gateway.js"),
        "call",
        "provider-d",
        "createApplication",
        "--body=-",
        "--timeout=10",
      ],
      {
        cwd: folder,
        env: programEnvironment({ GATEWAY_URL: address, GATEWAY_TOKEN: token }),
        stdio: ["pipe", "ignore", "ignore"],
      },
    );
    child.stdin.end(JSON.stringify(body));
    await once(child, "exit");
  },

  async Postman({ address, token }, body) {
    const collection = JSON.parse(
      withCustomer(await (await fetch(`${address}${files}/postman.json`)).text(), body),
    );
    await new Promise((resolve) => {
      const envVar = [{ key: "token", value: token }];
      newman.run({ collection, folder: "createApplication", envVar }, resolve);
    });
  },

  async Bruno({ address, folder, token }, body) {
    const archive = await (await fetch(`${address}${files}/bruno.zip`)).arrayBuffer();
    const cwd = join(folder, "bruno");
    for (const [name, text] of Object.entries(unpack(new Uint8Array(archive)))) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), withCustomer(text, body));
    }
    const request = "Submissions/createApplication.bru";
    const variables = ["--env", "gateway", "--env-var", `token=${token}`];
    await run(process.execPath, [bru, "run", request, ...variables], { cwd }).catch(
      () => undefined,
    );
  },

  async "the MCP server"({ address, folder, token }, body) {
    const client = new Client(
      { name: "test", version: "1.0.0" },
      { capabilities: { elicitation: {} } },
    );
    client.setRequestHandler(ElicitRequestSchema, () => ({
      action: "accept",
      content: { confirmed: true },
    }));
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [appProgram("mcp/bin/insurance-gateway-mcp.js"), "--allow", "submission"],
        cwd: folder,
        env: programEnvironment({ GATEWAY_URL: address, GATEWAY_TOKEN: token }),
        stderr: "ignore",
      }),
    );
    const idempotencyKey = crypto.randomUUID();
    await client.callTool({
      name: "provider-d_createApplication",
      arguments: { body, idempotencyKey },
    });
    await client.close();
  },
};

/** Sends an application with curl, with an idempotency key if one is passed. */
export async function curl(
  { address, token }: Pick<RecordedGateway, "address" | "token">,
  body: MotorApplication,
  key?: string,
): Promise<void> {
  const headers = [
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
  ];
  await run("curl", [
    "--silent",
    "--max-time",
    "10",
    "--data",
    JSON.stringify(body),
    ...headers.flatMap((header) => ["--header", header]),
    `${address}/provider-d/applications`,
  ]).catch(() => undefined);
}

const files = "/reference/providers/provider-d";
const bru = join(
  dirname(createRequire(import.meta.url).resolve("@usebruno/cli/package.json")),
  "bin/bru.js",
);

/** Returns a collection with the body's customer in place of the example's customer. */
function withCustomer(text: string, { holder }: MotorApplication): string {
  return text.replaceAll("123456789", holder.afm);
}
