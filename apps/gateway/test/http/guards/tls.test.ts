import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { connect } from "node:tls";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRecordingReader } from "../../../src/configuration/files.ts";
import { createReadSettings } from "../../../src/configuration/settings.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../harness/gateway-in-process.ts";
import type { Insurer } from "../../harness/insurer.ts";
import { openRaw } from "../../harness/send-raw.ts";
import { startAnsweringInsurer } from "./answering-insurer.ts";

let gateway: GatewayInProcess;
let insurer: Insurer;
let certificate: string;
let otherKey: string;

const listen = { tls: { certificate: { file: "gateway.pem" }, key: { env: "GATEWAY_KEY" } } };

beforeAll(async () => {
  const name = [{ name: "commonName", value: "gateway" }];
  const own = await generate(name, {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  certificate = own.cert;
  otherKey = (await generate(name)).private;
  insurer = await startAnsweringInsurer();
  const configuration = { providers: [insurerConfiguration("a", insurer.baseUrl)], listen };
  gateway = await startInProcess(
    configuration,
    { GATEWAY_KEY: own.private },
    { folder: folderOf() },
  );
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

function folderOf(): GatewayFolder {
  const providers = [insurerConfiguration("a", insurer.baseUrl)];
  const folder = makeGatewayFolder({ providers, listen });
  writeFileSync(join(folder.path, "gateway.pem"), certificate);
  return folder;
}

/** Sends a lookup over TLS; returns the status. */
async function lookup(headers: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  const asked = request(`${gateway.address}/provider-a/auto/brands`, {
    ca: certificate,
    headers: { authorization: `Bearer ${gateway.token}`, ...headers },
  });
  const answered = once(asked, "response");
  asked.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}

describe("a gateway with a certificate", () => {
  it("a gateway with a certificate answers over TLS, and has an https address", async () => {
    expect(gateway.address).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await lookup()).toBe(200);
  });

  it("a gateway with a certificate has the same limits for requests as a gateway without TLS", async () => {
    expect(await lookup({ x: "y".repeat(17_000) })).toBe(431);
    const many = Array.from({ length: 100 }, (_, index) => [`x-${index}`, "1"]);
    expect(await lookup(Object.fromEntries(many))).toBe(431);
  });

  it("a gateway with a certificate accepts no TLS version before 1.2", async () => {
    const { port } = new URL(gateway.address);
    const speaking = (version: "TLSv1.1" | "TLSv1.2"): Promise<unknown> => {
      const socket = connect({
        port: Number(port),
        host: "127.0.0.1",
        ca: certificate,
        minVersion: version,
        maxVersion: version,
        // Without this level, OpenSSL would not offer TLS 1.1.
        ciphers: "DEFAULT:@SECLEVEL=0",
      });
      return once(socket, "secureConnect").finally(() => socket.destroy());
    };
    await expect(speaking("TLSv1.1")).rejects.toThrow("alert protocol version");
    await speaking("TLSv1.2");
  });

  it("a gateway with a certificate refuses the TLS 1.2 cipher suites with a static RSA key exchange", async () => {
    const { port } = new URL(gateway.address);
    const speaking = (ciphers: string): Promise<unknown> => {
      const options = { port: Number(port), host: "127.0.0.1", ca: certificate };
      const socket = connect({ ...options, ciphers, maxVersion: "TLSv1.2" });
      return once(socket, "secureConnect").finally(() => socket.destroy());
    };
    await speaking("ECDHE-RSA-AES128-GCM-SHA256");
    await expect(speaking("AES128-GCM-SHA256")).rejects.toThrow("handshake failure");
  });

  it("a gateway with a certificate does not answer a request without TLS", async () => {
    const connection = await openRaw(gateway.address.replace("https:", "http:"));
    connection.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    expect(await connection.answer()).toBeNull();
  });

  it("the gateway does not start if its private key is missing or belongs to another certificate", async () => {
    const folder = folderOf();
    const open = (key: string): Promise<unknown> =>
      createReadSettings({ GATEWAY_KEY: key }, folder.path)(createRecordingReader());
    await expect(open(otherKey)).rejects.toThrow(
      "listen.tls: the key must belong to the certificate",
    );
    await expect(open("s3cret")).rejects.toThrow(/listen\.tls\.key: (?!.*s3cret)/);
    await expect(open("")).rejects.toThrow(
      "listen.tls.key: the environment variable GATEWAY_KEY is not set",
    );
    folder.remove();
  });
});
