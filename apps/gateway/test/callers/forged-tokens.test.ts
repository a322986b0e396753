import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenFaults } from "../../src/callers/token-faults.ts";
import { makeToken, SUBJECT } from "../harness/good-token.ts";
import type { Insurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import {
  startGatewayWithIssuers,
  startKeyServer,
  type TokenGateway,
} from "../harness/token-gateway.ts";
import { forgedClaims } from "./forgeries/claims.ts";
import { forgedContents } from "./forgeries/contents.ts";
import {
  type Forger,
  type Forgery,
  forgedIssuers,
  makeForger,
  publishedBy,
} from "./forgeries/forgery.ts";
import { forgedForms } from "./forgeries/forms.ts";
import { forgedHeaders } from "./forgeries/headers.ts";
import { forgedSignatures } from "./forgeries/signatures.ts";

const forgeries: readonly Forgery[] = [
  ...forgedForms,
  ...forgedContents,
  ...forgedHeaders,
  ...forgedClaims,
  ...forgedSignatures,
];

describe("forged tokens", () => {
  let world: TokenGateway;
  let forger: Forger;
  let keyServers: readonly Insurer[];
  let decoy: Insurer;
  const shown: string[] = [];

  beforeAll(async () => {
    decoy = await startKeyServer([]);
    forger = makeForger(decoy.baseUrl);
    const { issuer, other } = publishedBy(forger);
    const [own, others] = [await startKeyServer(issuer), await startKeyServer(other)];
    keyServers = [own, others];
    world = await startGatewayWithIssuers({
      issuers: forgedIssuers(`${own.baseUrl}/jwks`, `${others.baseUrl}/jwks`),
      authentication: { refusedTokens: 10_000 },
    });
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([decoy, ...keyServers].map((server) => server.close()));
  });

  const named = forgeries.map((forgery) => [forgery.name, forgery.fault, forgery.make] as const);
  it.each(named)(
    "the gateway refuses a token with %s, and logs the reason: %s",
    async (_, fault, make) => {
      const authorization = make(forger);
      shown.push(authorization);
      const response = await world.ask(authorization);
      const { requestId, ...problem } = await problemIn(response);

      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe(
        'Bearer realm="insurance-gateway", error="invalid_token"',
      );
      // The answer is the same for every fault, so that it does not reveal the fault of the token.
      expect(problem).toEqual({
        type: `${world.gateway.address}/reference/errors/UNAUTHENTICATED`,
        title: "A valid token is needed",
        status: 401,
        code: "UNAUTHENTICATED",
        detail:
          "The token is not valid here: check its issuer, audience, type, signature, key and expiry.",
        provider: null,
        outcome: "not_sent",
        retry: "never",
        errors: [],
      });
      expect(response.headers.get("x-request-id")).toBe(requestId);
      expect(await world.loggedReason(response)).toBe(fault);
    },
  );

  it("the forged tokens in these tests cover every reason for which the gateway refuses a single token", () => {
    const shownFaults = new Set<string>(forgeries.map(({ fault }) => fault));
    const faults = Object.keys(tokenFaults).filter((fault) => fault !== "flood");
    expect([...shownFaults].toSorted()).toEqual(faults.toSorted());
    expect(forgeries.length).toBeGreaterThan(100);
  });

  it("the gateway's log contains no part of a refused token", () => {
    const log = world.gateway.log.join("");
    expect(log.length).toBeGreaterThan(0);
    expect(log).not.toContain(SUBJECT);
    const pieces = shown
      .flatMap((text) => text.split(/[ .,"]+/))
      .filter((piece) => piece.length > 20);
    expect(pieces.filter((piece) => log.includes(piece))).toEqual([]);
  });

  it("a forged token causes no request to an address in the token, and the gateway fetches an issuer's keys only once", () => {
    expect(decoy.arrivals).toEqual([]);
    for (const { arrivals } of keyServers)
      expect(arrivals.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /api/jwks"]);
  });

  it("a call with a forged token does not reach the insurer, unlike a call with the original token", async () => {
    expect(world.insurer.arrivals).toEqual([]);
    expect((await world.ask(`Bearer ${makeToken(forger.rsa)}`)).status).toBe(200);
    expect(world.insurer.arrivals).toHaveLength(1);
  });
});
