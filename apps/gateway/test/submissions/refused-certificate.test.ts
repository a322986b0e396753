import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { generate } from "selfsigned";
import { afterEach, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { problemIn } from "../harness/problem.ts";

let insurer: Server;
let gateway: GatewayInProcess;
let time: HeldTime;
afterEach(async () => {
  await gateway.stop();
  insurer.closeAllConnections();
  insurer.close();
});

async function certify(name: string): Promise<{ cert: string; key: string }> {
  const { cert, private: key } = await generate([{ name: "commonName", value: name }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  return { cert, key };
}

/**
 * Starts a gateway with a client certificate, and an insurer that accepts either only this certificate or only another
 * one.
 */
async function start(isAccepted: boolean): Promise<{ readonly handshakes: () => number }> {
  const [own, ours, other] = await Promise.all(["insurer", "gateway", "other"].map(certify));
  if (own === undefined || ours === undefined || other === undefined) throw new TypeError();
  const ca = (isAccepted ? ours : other).cert;
  let handshakes = 0;
  insurer = createServer(
    { ...own, ca, requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" },
    // Only a request with an accepted certificate arrives. The insurer ends the connection of each submission.
    (request, response) => {
      if (request.method === "POST") return void request.socket.destroy();
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"items":[],"start":1,"limit":20,"total":0}');
    },
  ).listen(0);
  insurer.on("connection", () => {
    handshakes += 1;
  });
  await once(insurer, "listening");
  const { port } = insurer.address() as AddressInfo; // The server listens on TCP.
  const folder = makeGatewayFolder();
  writeFileSync(join(folder.path, "authority.pem"), own.cert);
  writeFileSync(join(folder.path, "gateway.pem"), ours.cert);
  const client = { certificate: { file: "gateway.pem" }, key: { env: "KEY" } };
  const tls = { authorities: { file: "authority.pem" }, client };
  const provider = insurerConfiguration("d", `https://localhost:${port}`, { tls });
  time = holdTime();
  gateway = await startInProcess(
    { providers: [{ ...provider, retries: { attempts: 1 } }] },
    { KEY: ours.key },
    { folder, time },
  );
  return { handshakes: () => handshakes };
}

async function outcomes(count: number): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let index = 0; index < count; index += 1) {
    const { code, outcome } = await problemIn(await submitApplication(gateway, applicationBody()));
    found.push(`${code} ${outcome}`);
  }
  return found;
}

it("a client certificate that the insurer refuses under TLS 1.3 makes the outcome of only one submission unknown", async () => {
  const { handshakes } = await start(false);
  const held = "PROVIDER_AUTH_FAILED not_sent";
  expect(await outcomes(5)).toEqual(["OUTCOME_UNKNOWN unknown", held, held, held, held]);
  // The first handshake is for a submission, and the second for a read that tries the certificate.
  expect(handshakes()).toBe(2);
});

it("a lost answer on a connection with an accepted certificate does not block later submissions", async () => {
  await start(true);
  const lost = "OUTCOME_UNKNOWN unknown";
  expect(await outcomes(3)).toEqual([lost, lost, lost]);
});
