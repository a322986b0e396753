import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TlsSettings } from "../../src/transport/index.ts";
import { NO_DEADLINE_MS, transport } from "../harness/send.ts";

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

async function askWith(tls: TlsSettings, url = address): Promise<string> {
  const request = { method: "GET", url, headers: {}, timeoutMs: NO_DEADLINE_MS };
  const { body } = await transport({ tls }).send(request);
  return body.text(1_000);
}

describe("mutual TLS", () => {
  it("the transport presents its client certificate to an insurer whose certificate a trusted authority signed", async () => {
    const tls = { authorities: insurersOwn.certificate, ...ours };
    expect(await askWith(tls)).toBe("gateway");
  });

  it("a request fails if the insurer requires a client certificate and the transport has no certificate", async () => {
    const asked = askWith({ authorities: insurersOwn.certificate });
    await expect(asked).rejects.toMatchObject({ reason: "failed" });
  });

  it("the transport sends nothing to an insurer whose certificate was signed by an authority that the transport does not trust", async () => {
    const asked = askWith({ authorities: ours.certificate, ...ours });
    await expect(asked).rejects.toMatchObject({ phase: "tls", reason: "failed" });
  });
});

describe("allowed origins", () => {
  it("the transport sends nothing to an origin that is not allowed", async () => {
    const limited = transport({ origins: ["https://api.insurer.example"] });
    const request = { method: "GET", url: address, headers: {}, timeoutMs: NO_DEADLINE_MS };
    await expect(limited.send(request)).rejects.toMatchObject({
      phase: "connect",
      detail: "ORIGIN_NOT_ALLOWED",
    });
  });
});

describe("servers with TLS 1.2", () => {
  it.each([
    ["ECDHE-RSA-AES128-GCM-SHA256", "accepted"],
    ["AES128-GCM-SHA256", "refused"],
    ["AES256-SHA", "refused"],
  ])(
    "the transport refuses a TLS 1.2 cipher suite with a static RSA key exchange: %s is %s",
    async (ciphers, expected) => {
      const { certificate: cert, key } = insurersOwn;
      const server = createServer({ cert, key, ciphers, maxVersion: "TLSv1.2" }, (_, response) =>
        response.end("ok"),
      ).listen(0);
      await once(server, "listening");
      const { port } = server.address() as AddressInfo; // it listens on TCP
      const tls = { authorities: insurersOwn.certificate };
      const asked = askWith(tls, `https://localhost:${port}/`);
      if (expected === "accepted") expect(await asked).toBe("ok");
      else await expect(asked).rejects.toMatchObject({ phase: "tls", reason: "failed" });
      server.closeAllConnections();
      server.close();
    },
  );
});
