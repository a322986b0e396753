import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { issuerConfiguration, makeToken } from "../harness/good-token.ts";
import { type Behaviour, type Insurer, json } from "../harness/insurer.ts";
import { makeKeyPair } from "../harness/signing.ts";
import {
  startGatewayWithIssuers,
  startKeyServer,
  type TokenGateway,
} from "../harness/token-gateway.ts";

const pair = makeKeyPair("rsa", { kid: "rsa-1" });
const keys = JSON.stringify({ keys: [pair.jwk] });

describe("an issuer's server", () => {
  let world: TokenGateway;
  let keyServer: Insurer;
  let elsewhere: Insurer;
  let steady: Insurer;
  beforeAll(async () => {
    keyServer = await startKeyServer([]);
    elsewhere = await startKeyServer([pair.jwk]);
    steady = await startKeyServer([pair.jwk]);
    const other = { issuer: "https://other.example" };
    world = await startGatewayWithIssuers({
      issuers: [
        issuerConfiguration(`${keyServer.baseUrl}/jwks`),
        issuerConfiguration(`${steady.baseUrl}/jwks`, other),
      ],
    });
  });
  beforeEach(() => {
    world.time.forward(5_000);
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([keyServer, elsewhere, steady].map((server) => server.close()));
  });

  const answering = (
    status: number,
    body: string,
    headers: Record<string, string> = {},
  ): Behaviour => json(status, body, headers);
  const answers: readonly [string, () => Behaviour, string][] = [
    ["answers 404", () => answering(404, keys), "not_ok"],
    ["answers 204", () => answering(204, ""), "not_ok"],
    [
      "redirects to another server",
      () => answering(302, keys, { location: `${elsewhere.baseUrl}/jwks` }),
      "not_ok",
    ],
    ["answers with a web page", () => answering(200, "<html>Login</html>"), "no_key_set"],
    ["answers with an empty body", () => answering(200, ""), "no_key_set"],
    [
      "answers with a single key instead of a set",
      () => answering(200, JSON.stringify(pair.jwk)),
      "no_key_set",
    ],
    ["answers with a set of texts", () => answering(200, '{"keys":["rsa-1"]}'), "no_key_set"],
    [
      "answers with more than 256 kB",
      () => answering(200, keys + " ".repeat(262_144)),
      "too_large",
    ],
    [
      "answers with invalid UTF-8",
      () => (response) => response.end(Buffer.concat([Buffer.from(keys), Buffer.of(0xff)])),
      "unreadable",
    ],
    ["closes the connection", () => (response) => response.socket?.destroy(), "failed"],
    [
      "closes the connection during an answer",
      () => (response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write(keys, () => response.socket?.destroy());
      },
      "failed",
    ],
    ["sends no answer for five seconds", () => () => {}, "timeout"],
  ];
  it.each(answers)(
    "the gateway answers 503 and logs the fault if an issuer's server %s",
    async (_, behaviour, reason) => {
      keyServer.behaviour = behaviour();
      const already = world.gateway.log.length;
      const response = await world.ask(`Bearer ${makeToken(pair)}`);
      expect(response.status).toBe(503);
      const warnings = world.gateway.log
        .slice(already)
        .map((line) => JSON.parse(line))
        .filter(({ level }) => level === 40);
      expect(warnings.map((warning) => warning.reason)).toEqual([reason]);
      expect(elsewhere.arrivals).toEqual([]);
    },
  );

  it("the gateway accepts another issuer's tokens while one issuer's server fails", async () => {
    keyServer.behaviour = json(503, {});
    const of = (claims: object): Promise<Response> =>
      world.ask(`Bearer ${makeToken(pair, { claims })}`);
    expect((await of({})).status).toBe(503);
    expect((await of({ iss: "https://other.example" })).status).toBe(200);
    expect(steady.arrivals).toHaveLength(1);
  });
});

describe("the connections to an issuer's server", () => {
  it("the gateway closes the connections to an issuer's server when the gateway stops", async () => {
    let open = 0;
    const server = createServer((_, response) => response.end(keys));
    server.on("connection", (socket) => {
      open += 1;
      socket.once("close", () => {
        open -= 1;
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    // A server that listens on TCP has an address with a port.
    const { port } = server.address() as AddressInfo;
    const jwksUri = `http://127.0.0.1:${port}/jwks`;
    const world = await startGatewayWithIssuers({ issuers: [issuerConfiguration(jwksUri)] });
    expect((await world.ask(`Bearer ${makeToken(pair)}`)).status).toBe(200);
    expect(open).toBe(1);
    await world.stop();
    await expect.poll(() => open).toBe(0);
    server.close();
    await once(server, "close");
  });
});
