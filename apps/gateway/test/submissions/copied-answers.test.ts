import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { installPackage } from "../harness/provider-package.ts";

/** Provider package of an insurer that refuses with answers of status 200. */
const PACKAGE = `
import { defineProvider, read, submission } from "@insurance-gateway/core/contract";
import { loose, strict } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
const provider = "provider-m";
const params = strict({ policyId: z.string() });
const body = strict({ plate: z.string(), colour: z.string() });
const response = { 200: loose({ ok: z.boolean(), policyId: z.optional(z.string()), plate: z.string(), colour: z.string() }) };
const same = ["/plate"];
export const providerM = defineProvider({
  id: provider,
  name: "Provider M",
  lines: ["motor"],
  endpoints: {
    readPolicy: read({ provider, path: "/policies/{policyId}", params, response }),
    issuePolicy: submission({ provider, path: "/policies", body, response, insurerId: "/policyId", same }),
    changePolicy: submission({ provider, method: "PUT", path: "/policies/{policyId}", params, body, response, same }),
  },
});`;
const ADAPTER = `
import { publishedDialect } from "@insurance-gateway/adapter";
import { providerM } from "./index.js";
export const adapter = publishedDialect(providerM, {
  envelope: { at: "/ok", success: [true] },
  failures: [
    { status: 200, at: "/code", is: ["LIMIT"], code: "BROKER_LIMIT_EXCEEDED", outcome: "rejected", why: "documented" },
  ],
});`;

function answer(content: object): string {
  const text = JSON.stringify(content);
  const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`;
  return `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${text}`;
}

let sockets: Socket[];
let gateway: GatewayInProcess;
let insurer: Server;

/** Refuses applications with the colour black. Before each answer, sends the connection's previous answer again. */
function serve(socket: Socket): void {
  sockets.push(socket);
  let text = "";
  let last = "";
  socket.on("error", () => {});
  socket.setEncoding("latin1").on("data", (piece: string) => {
    text += piece;
    if (text.startsWith("GET ") && text.includes("\r\n\r\n")) {
      text = "";
      last = answer({ ok: true, policyId: "P-E", plate: "E", colour: "red" });
      socket.write(last);
      return;
    }
    const [, plate, colour] = /\{"plate":"(\w+)","colour":"(\w+)"\}$/.exec(text) ?? [];
    if (plate === undefined || colour === undefined) return;
    text = "";
    const own =
      colour === "black"
        ? answer({ ok: false, code: "LIMIT" })
        : answer({
            ok: true,
            ...(plate === "NEW" ? {} : { policyId: `P-${plate}` }),
            plate,
            colour,
          });
    socket.write(last + own);
    last = own;
  });
}

beforeEach(async () => {
  sockets = [];
  insurer = createServer(serve).listen(0, "127.0.0.1");
  await once(insurer, "listening");
  const address = insurer.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const folder = makeGatewayFolder();
  installPackage(folder, "provider-m", PACKAGE, ADAPTER);
  const upstream = { baseUrl: `http://127.0.0.1:${port}`, credentials: { type: "none" } };
  const providers = [{ package: "provider-m", upstream }];
  gateway = await startInProcess({ providers }, {}, { folder });
});
afterEach(async () => {
  await gateway.stop();
  for (const socket of sockets) socket.destroy();
  insurer.close();
});

async function send(
  method: string,
  path: string,
  body?: { readonly plate: string; readonly colour: string },
): Promise<string> {
  const response = await fetch(`${gateway.address}/provider-m${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { code, colour, outcome } = { ...Object(await response.json()) };
  return `${response.status} ${colour ?? `${code} ${outcome}`}`;
}

const REFUSED = "422 BROKER_LIMIT_EXCEEDED rejected";

it("the gateway does not mistake a copy of a read's answer for the answer to a later submission", async () => {
  expect(await send("GET", "/policies/P-E")).toBe("200 red");
  expect(await send("POST", "/policies", { plate: "E", colour: "black" })).toBe(REFUSED);
});

it("the gateway does not mistake a copy of a change's answer for the answer to a later change of the same policy", async () => {
  expect(await send("PUT", "/policies/P-C", { plate: "C", colour: "red" })).toBe("200 red");
  expect(await send("PUT", "/policies/P-C", { plate: "C", colour: "black" })).toBe(REFUSED);
});

it("the gateway does not mistake a copy of an answer without an identifier for the answer to a later, equal submission", async () => {
  expect(await send("POST", "/policies", { plate: "NEW", colour: "red" })).toBe(
    "504 OUTCOME_UNKNOWN unknown",
  );
  expect(await send("POST", "/policies", { plate: "NEW", colour: "black" })).toBe(REFUSED);
});

it("the gateway does not mistake a copy of a change's answer for the creation of a policy", async () => {
  expect(await send("PUT", "/policies/P-D", { plate: "D", colour: "red" })).toBe("200 red");
  expect(await send("POST", "/policies", { plate: "D", colour: "black" })).toBe(REFUSED);
});

it("the gateway does not mistake a copy of a refusal with status 200 for the answer to a later submission", async () => {
  expect(await send("POST", "/policies", { plate: "A", colour: "black" })).toBe(REFUSED);
  expect(await send("POST", "/policies", { plate: "B", colour: "red" })).toBe("200 red");
});
