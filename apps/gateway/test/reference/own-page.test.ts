import { Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import type { RequestHead } from "../../src/http/exchange.ts";
import { createDevelopmentToken, newStartSecret } from "../../src/reference/development-token.ts";

/**
 * Requests a development token as a page on the same machine does, with the given changes. Returns the answer or the
 * refusal.
 */
async function ask(
  headers: Readonly<Record<string, string | undefined>> = {},
  remoteAddress: string | undefined = "127.0.0.1",
): Promise<unknown> {
  const asked: unknown[] = [];
  const answer = createDevelopmentToken(
    {
      async sign(claims) {
        asked.push(claims);
        return "token-1";
      },
    },
    "secret",
  );
  const host = headers.host ?? "localhost:8080";
  const head = {
    headers: {
      host,
      origin: `http://${host}`,
      "sec-fetch-site": "same-origin",
      "x-start-secret": "secret",
      ...headers,
    },
    socket: { remoteAddress },
    // The function reads only these fields of a request.
  } as unknown as RequestHead;
  try {
    return { ...(await answer({ head })), asked };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.code, ...error.details };
  }
}

const given = {
  status: 200,
  headers: { "cache-control": "no-store", "content-type": "application/json; charset=utf-8" },
  content: '{"token":"token-1","expiresInSeconds":28800}',
  asked: [{ subject: "developer", scope: "*:*", expiresInSeconds: 28_800 }],
};
const refused = {
  code: "FORBIDDEN",
  detail:
    "Only the reference's own pages can request a development token, in a browser on the gateway's machine, opened at the address that the gateway printed at its start. Elsewhere, use the command `token`.",
  reason: "development_token",
};

describe("the check of a request for a development token", () => {
  it.each([
    ["localhost:8080", "127.0.0.1"],
    ["localhost", "::1"],
    ["127.0.0.1:80", "127.0.0.1"],
    ["127.8.9.1", "127.0.0.2"],
    ["[::1]:8080", "::1"],
    ["[::1]", "::ffff:127.0.0.1"],
  ])(
    "a reference page at %s receives a development token if the request comes from %s",
    async (host, remoteAddress) => {
      expect(await ask({ host }, remoteAddress)).toEqual(given);
      expect(await ask({ host, origin: `https://${host}` }, remoteAddress)).toEqual(given);
    },
  );

  it.each([
    ["another machine", {}, "192.0.2.7"],
    ["another machine over IPv6", {}, "2001:db8::1"],
    ["another machine's IPv4 address in IPv6 form", {}, "::ffff:192.0.2.7"],
    ["an unknown address", {}, ""],
    ["an invalid address", {}, "127.evil"],
    ["the host name 192.0.2.7 of another machine", { host: "192.0.2.7" }, "127.0.0.1"],
    ["another host name", { host: "gateway.example" }, "127.0.0.1"],
    [
      "a host name that only starts like this machine's address",
      { host: "127.0.0.1.example" },
      "127.0.0.1",
    ],
    ["another secret", { "x-start-secret": "secrets" }, "127.0.0.1"],
    ["no secret", { "x-start-secret": undefined }, "127.0.0.1"],
    ["another scheme", { origin: "ftp://localhost:8080" }, "127.0.0.1"],
    ["another site", { "sec-fetch-site": "same-site" }, "127.0.0.1"],
  ])(
    "the gateway issues no development token for a request with %s",
    async (_, headers, remoteAddress) => {
      expect(await ask(headers, remoteAddress)).toEqual(refused);
    },
  );

  it.each([
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
  ])(
    "the gateway issues no development token for a request with the proxy header %s",
    async (name) => {
      expect(await ask({ [name]: "127.0.0.1" })).toEqual(refused);
    },
  );
});

it("the secret for development tokens consists of 256 random bits", () => {
  const secret = newStartSecret();
  expect(Buffer.from(secret, "base64url")).toHaveLength(32);
  expect(newStartSecret()).not.toBe(secret);
});
