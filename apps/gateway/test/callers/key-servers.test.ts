import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Behaviour, type Insurer, json } from "../harness/insurer.ts";
import { issuerConfiguration, makeToken } from "./good-token.ts";
import { makeKeyPair } from "./signing.ts";
import { startKeyServer, startTokenGateway, type TokenGateway } from "./token-gateway.ts";

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
    world = await startTokenGateway({
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
      "sends the gateway elsewhere, which it does not follow",
      () => answering(302, keys, { location: `${elsewhere.baseUrl}/jwks` }),
      "not_ok",
    ],
    ["answers with a page", () => answering(200, "<html>Login</html>"), "no_key_set"],
    ["answers with nothing", () => answering(200, ""), "no_key_set"],
    ["answers with a key and no set", () => answering(200, JSON.stringify(pair.jwk)), "no_key_set"],
    ["answers with a set of texts", () => answering(200, '{"keys":["rsa-1"]}'), "no_key_set"],
    [
      "answers with more than 256 kB",
      () => answering(200, keys + " ".repeat(262_144)),
      "too_large",
    ],
    [
      "answers with bytes that are no UTF-8",
      () => (response) => response.end(Buffer.concat([Buffer.from(keys), Buffer.of(0xff)])),
      "unreadable",
    ],
    ["ends the connection", () => (response) => response.socket?.destroy(), "failed"],
    [
      "begins an answer and ends the connection",
      () => (response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write(keys, () => response.socket?.destroy());
      },
      "failed",
    ],
    ["does not answer in five seconds", () => () => {}, "timeout"],
  ];
  it.each(answers)("an issuer's server that %s gives no keys", async (_, behaviour, reason) => {
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
  });

  it("an issuer's server without keys does not disturb another issuer's tokens", async () => {
    keyServer.behaviour = json(503, {});
    const of = (claims: object): Promise<Response> =>
      world.ask(`Bearer ${makeToken(pair, { claims })}`);
    expect((await of({})).status).toBe(503);
    expect((await of({ iss: "https://other.example" })).status).toBe(200);
    expect(steady.arrivals).toHaveLength(1);
  });
});

describe("the connections to an issuer's server", () => {
  it("end with the gateway", async () => {
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
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const jwksUri = `http://127.0.0.1:${port}/jwks`;
    const world = await startTokenGateway({ issuers: [issuerConfiguration(jwksUri)] });
    expect((await world.ask(`Bearer ${makeToken(pair)}`)).status).toBe(200);
    expect(open).toBe(1);
    await world.stop();
    await expect.poll(() => open, { timeout: 3_000 }).toBe(0);
    server.close();
    await once(server, "close");
  });
});
