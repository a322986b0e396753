import { once } from "node:events";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTransport } from "../../src/transport/index.ts";

const trusted = getCACertificates("default");
let server: Http2SecureServer;
let bodies = 0;

beforeAll(async () => {
  const names = [{ type: 2 as const, value: "localhost" }];
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
    extensions: [{ name: "subjectAltName", altNames: names }],
  });
  setDefaultCACertificates([...trusted, cert]);
  server = createSecureServer({ cert, key, allowHTTP1: true });
  server.on("request", (request, response) => {
    request.resume().once("end", () => {
      bodies++;
      // Over HTTP/2, the server reports that it has not processed the stream. In this case, RFC 9113 allows
      // a client to repeat the request.
      if (request.httpVersion === "2.0" && bodies === 1) request.stream.close(7);
      else response.writeHead(201).end();
    });
  });
  server.listen(0);
  await once(server, "listening");
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  server.close();
  await once(server, "close");
});

describe("an insurer that supports HTTP/2", () => {
  it("the transport sends a submission only once to an insurer that supports HTTP/2", async () => {
    const transport = createTransport();
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const response = await transport.send({
      method: "POST",
      url: `https://localhost:${port}/applications`,
      headers: { "content-type": "application/json" },
      body: "{}",
      timeoutMs: 10_000,
    });
    await response.body.text(1_000);
    expect([response.status, bodies]).toEqual([201, 1]);
    await transport.close();
  });
});
