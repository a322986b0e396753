import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TlsSettings } from "../src/transport/index.ts";
import { NO_DEADLINE_MS, transport } from "./harness/send.ts";

interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

async function certify(name: string): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: "commonName", value: name }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  return { certificate: cert, key };
}

let insurer: Server;
let address: string;
let insurersOwn: Certificate;
let ours: Certificate;

beforeAll(async () => {
  insurersOwn = await certify("insurer");
  ours = await certify("gateway");
  insurer = createServer(
    {
      cert: insurersOwn.certificate,
      key: insurersOwn.key,
      ca: ours.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      // A server with a certificate has TLS sockets.
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      response.end(String(subject.CN));
    },
  ).listen(0);
  await once(insurer, "listening");
  const { port } = insurer.address() as AddressInfo; // it listens on TCP
  address = `https://localhost:${port}/`;
});
afterAll(async () => {
  insurer.closeAllConnections();
  insurer.close();
  await once(insurer, "close");
});

async function askWith(tls: TlsSettings): Promise<string> {
  const request = { method: "GET", url: address, headers: {}, timeoutMs: NO_DEADLINE_MS };
  const { body } = await transport({ tls }).send(request);
  return body.text(1_000);
}

describe("a server that asks who calls", () => {
  it("is shown the certificate, and known by its own authority", async () => {
    const tls = { authorities: insurersOwn.certificate, ...ours };
    expect(await askWith(tls)).toBe("gateway");
  });

  it("refuses a caller without one", async () => {
    const asked = askWith({ authorities: insurersOwn.certificate });
    await expect(asked).rejects.toMatchObject({ reason: "failed" });
  });

  it("is rejected when another authority signed its certificate, and receives nothing", async () => {
    const asked = askWith({ authorities: ours.certificate, ...ours });
    await expect(asked).rejects.toMatchObject({ phase: "tls", reason: "failed" });
  });
});

describe("a transport with origins", () => {
  it("contacts no other host, and sends nothing", async () => {
    const limited = transport({ origins: ["https://api.insurer.example"] });
    const request = { method: "GET", url: address, headers: {}, timeoutMs: NO_DEADLINE_MS };
    await expect(limited.send(request)).rejects.toMatchObject({
      phase: "connect",
      detail: "ORIGIN_NOT_ALLOWED",
    });
  });
});
