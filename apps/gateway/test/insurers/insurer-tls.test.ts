import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { generate } from "selfsigned";
import { expect, it } from "vitest";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";

async function certify(name: string): Promise<{ cert: string; key: string }> {
  const { cert, private: key } = await generate([{ name: "commonName", value: name }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  return { cert, key };
}

it("the gateway presents its client certificate to an insurer, and trusts the authority that is configured for the insurer", async () => {
  const insurers = await certify("insurer");
  const ours = await certify("gateway");
  const insurer = createServer(
    { ...insurers, ca: ours.cert, requestCert: true, rejectUnauthorized: true },
    (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"items":[]}');
    },
  ).listen(0);
  await once(insurer, "listening");
  const { port } = insurer.address() as AddressInfo; // the server listens on TCP
  const folder = makeGatewayFolder();
  writeFileSync(join(folder.path, "authority.pem"), insurers.cert);
  writeFileSync(join(folder.path, "gateway.pem"), ours.cert);
  const tls = {
    authorities: { file: "authority.pem" },
    client: { certificate: { file: "gateway.pem" }, key: { env: "INSURER_A_KEY" } },
  };
  const provider = insurerConfiguration("a", `https://localhost:${port}`, { tls });
  const gateway = await startInProcess(
    { providers: [provider] },
    { INSURER_A_KEY: ours.key },
    { folder },
  );
  const response = await gateway.ask("/provider-a/auto/brands");
  expect(response.status).toBe(200);
  await gateway.stop();
  insurer.closeAllConnections();
  insurer.close();
});

it("the gateway does not start with an invalid client certificate, and the reported fault contains no part of the certificate", async () => {
  const tls = { client: { certificate: { env: "CERTIFICATE" }, key: { env: "KEY" } } };
  const provider = insurerConfiguration("a", "https://localhost", { tls });
  const started = startInProcess({ providers: [provider] }, { CERTIFICATE: "s3cret" });
  await expect(started).rejects.toThrow(
    /providers\[0\]\.upstream\.tls\.client\.certificate: must be a certificate or a private key in PEM\n.*providers\[0\]\.upstream\.tls\.client\.key: the environment variable KEY is not set/,
  );
  await expect(started).rejects.not.toThrow(/s3cret/);
});
