import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { goodClaims, issuerConfiguration, makeToken } from "../harness/good-token.ts";
import { type Insurer, json } from "../harness/insurer.ts";
import { makeKeyPair } from "../harness/signing.ts";
import {
  startGatewayWithIssuers,
  startKeyServer,
  type TokenGateway,
} from "../harness/token-gateway.ts";
import { reloadNow, reloadWhenSettled } from "./settled.ts";

const pair = makeKeyPair("rsa", { kid: "rsa-1", alg: "RS256" });
const OTHER = "https://other.example";

let keys: Insurer;
let site: TokenGateway;
beforeEach(async () => {
  keys = await startKeyServer([pair.jwk]);
  site = await startGatewayWithIssuers({ issuers: [own(), other()] });
});
afterEach(async () => {
  await site.stop();
  await keys.close();
});

const own = (more: object = {}): object => issuerConfiguration(keys.baseUrl, more);
const other = (): object => issuerConfiguration(keys.baseUrl, { issuer: OTHER });
const withIssuers = (issuers: readonly object[], sections: object = {}): void =>
  site.gateway.folder.writeConfiguration({
    overload: { eventLoopDelayMs: 3_600_000 },
    providers: [insurerConfiguration("a", site.insurer.baseUrl)],
    issuers,
    ...sections,
  });
const tokenOf = (issuer?: string): string =>
  makeToken(pair, {
    claims: goodClaims(issuer === undefined ? {} : { iss: issuer }, site.time.now()),
  });
const statusFor = async (token: string): Promise<number> =>
  (await site.ask(`Bearer ${token}`)).status;

describe("verified tokens after a reload", () => {
  it("a reload that removes an issuer invalidates only this issuer's verified tokens", async () => {
    const [mine, theirs] = [tokenOf(), tokenOf(OTHER)];
    expect([await statusFor(mine), await statusFor(theirs)]).toEqual([200, 200]);
    const fetches = keys.arrivals.length;
    withIssuers([own()]);
    await reloadWhenSettled(site.time);
    expect([await statusFor(mine), await statusFor(theirs)]).toEqual([200, 401]);
    expect(keys.arrivals).toHaveLength(fetches);
  });

  it("a reload applies an issuer's new settings to verified tokens", async () => {
    const token = tokenOf();
    expect(await statusFor(token)).toBe(200);
    withIssuers([own({ scopesRequired: true }), other()]);
    await reloadWhenSettled(site.time);
    expect(await statusFor(token)).toBe(403);
  });

  it("a requested reload invalidates verified tokens whose key the issuer has withdrawn", async () => {
    const token = tokenOf();
    expect(await statusFor(token)).toBe(200);
    keys.behaviour = json(200, { keys: [] });
    expect(await statusFor(token)).toBe(200);
    await reloadNow(site.gateway, site.time);
    expect(await statusFor(token)).toBe(401);
  });

  it("a requested reload ends only after a fetch of every issuer's keys", async () => {
    const theirs = await startKeyServer([pair.jwk]);
    onTestFinished(() => theirs.close());
    withIssuers([own(), issuerConfiguration(theirs.baseUrl, { issuer: OTHER })]);
    await reloadWhenSettled(site.time);
    const token = tokenOf(OTHER);
    expect(await statusFor(token)).toBe(200);
    const withdrawn = json(200, { keys: [] });
    let answer: (() => void) | undefined;
    theirs.behaviour = (...exchange) => {
      answer = () => withdrawn(...exchange);
    };
    const asked = theirs.nextArrival().then(() => "the keys are asked for");
    const reloaded = reloadNow(site.gateway, site.time).then(() => "reloaded");
    expect(await Promise.race([asked, reloaded])).toBe("the keys are asked for");
    answer?.();
    await reloaded;
    expect(await statusFor(token)).toBe(401);
  });

  it("a refused reload fetches no issuers' keys", async () => {
    expect(await statusFor(tokenOf())).toBe(200);
    const fetches = keys.arrivals.length;
    withIssuers([own(), other()], { limits: { tokenBytes: "long" } });
    expect(await reloadNow(site.gateway, site.time)).toMatchObject({ result: "refused" });
    expect(keys.arrivals).toHaveLength(fetches);
  });

  it("a reload applies a new maximum length to verified tokens", async () => {
    const token = tokenOf();
    expect(await statusFor(token)).toBe(200);
    withIssuers([own(), other()], { limits: { tokenBytes: 512 } });
    await reloadWhenSettled(site.time);
    expect(await statusFor(token)).toBe(401);
  });
});

describe("issuers that a reload adds", () => {
  it("the gateway accepts tokens of a new issuer directly after the reload that adds the issuer", async () => {
    const added = "https://added.example";
    const token = tokenOf(added);
    expect(await statusFor(token)).toBe(401);
    withIssuers([own(), other(), issuerConfiguration(keys.baseUrl, { issuer: added })]);
    await reloadWhenSettled(site.time);
    expect(await statusFor(token)).toBe(200);
  });
});
