import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { clientCredentials } from "../../src/auth/index.ts";
import { ConfigurationError } from "../../src/index.ts";
import { tokenFile } from "../../src/node/index.ts";
import { file } from "../../src/schema/index.ts";
import { connect } from "../harness/connect.ts";
import {
  calculatePremium,
  createPolicy,
  issuedPolicy,
  listBrands,
  policyBody,
} from "../harness/declarations.ts";
import { failureOf } from "../harness/failure.ts";
import { holdTime } from "../harness/held-time.ts";
import { NOBODY_LISTENS } from "../harness/listen.ts";
import { json, problem, raw, silence } from "../harness/replies.ts";
import { type Arrival, type ScriptedServer, scriptedServer } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const brands = json({ items: ["Toyota"] });
const refused = problem({ status: 401, code: "UNAUTHENTICATED", retry: "never" });

function tokensOf({ arrivals }: ScriptedServer): readonly (string | undefined)[] {
  return arrivals.map(({ headers }) => headers.authorization?.replace("Bearer ", ""));
}

/** Returns an unsigned JWT that expires in a number of seconds. */
function jwt(seconds: number): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  return `${encode({ alg: "none" })}.${encode({ exp: Date.now() / 1_000 + seconds })}.`;
}

describe("token functions", () => {
  it("the client calls the token function only once for fifty simultaneous calls and a later call", async () => {
    const server = await scriptedServer(brands);
    let count = 0;
    const gateway = connect(server.address, { token: async () => `token-${++count}` });
    await Promise.all(Array.from({ length: 50 }, () => gateway.call(listBrands)));
    await gateway.call(listBrands);
    expect(count).toBe(1);
    expect(new Set(tokensOf(server))).toEqual(new Set(["token-1"]));
  });

  it("the client calls the token function only one more time if the gateway refuses the same token in simultaneous calls", async () => {
    const server = await scriptedServer((response, arrival) =>
      (arrival.headers.authorization === "Bearer token-1" ? refused : brands)(response, arrival),
    );
    let count = 0;
    const gateway = connect(server.address, { token: () => `token-${++count}` });
    await Promise.all(Array.from({ length: 10 }, () => gateway.call(listBrands)));
    expect(count).toBe(2);
  });

  it("a call fails, and the client requests no third token, if the gateway refuses two tokens of the call", async () => {
    const server = await scriptedServer(refused);
    let count = 0;
    const gateway = connect(server.address, { token: () => `token-${++count}` });
    const failure = await failureOf(gateway.call(listBrands));
    expect(failure).toMatchObject({ name: "ProblemError", code: "UNAUTHENTICATED" });
    expect(tokensOf(server)).toEqual(["token-1", "token-2"]);
  });

  it("the client sends a submission again with a new token and the same key if the gateway refuses the token", async () => {
    const server = await scriptedServer(refused, json(issuedPolicy, 201));
    let count = 0;
    const gateway = connect(server.address, { token: () => `token-${++count}` });
    expect(await gateway.call(createPolicy, { body: policyBody })).toEqual(issuedPolicy);
    const keys = server.arrivals.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(1);
  });

  it.each([
    ["a JWT", () => jwt(0.5)],
    ["a token with `expiresInSeconds`", () => ({ token: "t", expiresInSeconds: 0.5 })],
  ])(
    "the client calls the token function again after the function's token has expired: %s",
    async (_, source) => {
      const server = await scriptedServer(brands);
      let count = 0;
      const gateway = connect(server.address, {
        token() {
          count += 1;
          return source();
        },
      });
      holdTime();
      for (let call = 0; call < 2; call++) {
        await gateway.call(listBrands);
        vi.advanceTimersByTime(1_000);
      }
      expect(count).toBe(2);
    },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 0, -1, "300", null])(
    "a call fails after one call of the token function if the function returns the lifetime %o",
    async (expiresInSeconds) => {
      let count = 0;
      const gateway = connect(NOBODY_LISTENS, {
        token() {
          count += 1;
          return { token: "canary", expiresInSeconds } as never;
        },
      });
      const failure = await failureOf(gateway.call(listBrands));
      expect(failure).toMatchObject({ name: "TokenError", outcome: "not_sent", retry: "never" });
      expect(String(failure)).toContain("expiresInSeconds, must be a positive number");
      expect(String(failure)).not.toContain("canary");
      expect(count).toBe(1);
    },
  );

  it("thousands of calls wait for the same result of the token function, and all fail if the function fails", async () => {
    const token = Promise.withResolvers<string>();
    const gateway = connect(NOBODY_LISTENS, { token: () => token.promise });
    const failures = Array.from({ length: 4_097 }, () => failureOf(gateway.call(listBrands)));
    token.reject(new Error("no"));
    const texts = (await Promise.all(failures)).map(String);
    expect(new Set(texts)).toEqual(new Set([expect.stringContaining("the token function failed")]));
  });

  it("the client requests a new token for a later call if the gateway refuses the token of a call with a stream as body", async () => {
    const server = await scriptedServer(refused, brands);
    let count = 0;
    const gateway = connect(server.address, { token: () => `token-${++count}` });
    const upload = {
      ...calculatePremium,
      body: { required: true, media: { "application/pdf": file() } },
    } as never;
    const content = new Blob(["%PDF"]).stream();
    const call = gateway.call(upload, { body: { mediaType: "application/pdf", content } } as never);
    expect(await failureOf(call)).toMatchObject({ code: "UNAUTHENTICATED" });
    await gateway.call(listBrands);
    expect(tokensOf(server)).toEqual(["token-1", "token-2"]);
  });

  it("the client calls the token function again for a later call if the function failed before", async () => {
    const server = await scriptedServer(brands);
    let count = 0;
    const gateway = connect(server.address, {
      token() {
        if (++count === 1) throw new Error("canary");
        return "t";
      },
    });
    expect(await failureOf(gateway.call(listBrands))).toMatchObject({ name: "TokenError" });
    await gateway.call(listBrands);
    expect(count).toBe(2);
  });
});

describe("the token file", () => {
  it("the client reads the token file again if the gateway refuses the file's token", async () => {
    const path = join(await temporaryFolder(), "token");
    await writeFile(path, "token-1\n");
    const server = await scriptedServer(brands, refused, brands);
    const gateway = connect(server.address, { token: tokenFile(path) });
    await gateway.call(listBrands);
    await writeFile(path, "token-2\n");
    await gateway.call(listBrands);
    expect(tokensOf(server)).toEqual(["token-1", "token-1", "token-2"]);
  });

  it("a call fails with a TokenError that is safe to repeat if the token file is missing", async () => {
    const server = await scriptedServer(brands);
    const gateway = connect(server.address, { token: tokenFile("/nonexistent/token") });
    const failure = await failureOf(gateway.call(listBrands));
    expect(failure).toMatchObject({ name: "TokenError", outcome: "not_sent", retry: "safe" });
    expect(String(failure)).toContain("ENOENT");
  });
});

describe("client credentials", () => {
  const issued = json({ access_token: "issued-1", token_type: "Bearer", expires_in: 3_600 });
  const identity = { clientId: "app:1", clientSecret: "canary", scope: "quotes" };

  function formOf({ body }: Arrival): Readonly<Record<string, string>> {
    return Object.fromEntries(new URLSearchParams(body));
  }

  it("the client requests only one token from the token server for fifty simultaneous calls", async () => {
    const tokenServer = await scriptedServer(issued);
    const server = await scriptedServer(brands);
    const token = clientCredentials({ ...identity, tokenUrl: `${tokenServer.address}/token` });
    const gateway = connect(server.address, { token });
    await Promise.all(Array.from({ length: 50 }, () => gateway.call(listBrands)));
    expect(new Set(tokensOf(server))).toEqual(new Set(["issued-1"]));
    expect(tokenServer.arrivals.map(formOf)).toEqual([
      { grant_type: "client_credentials", scope: "quotes" },
    ]);
    const pair = btoa("app%3A1:canary");
    expect(tokenServer.arrivals[0]?.headers.authorization).toBe(`Basic ${pair}`);
  });

  it("the client can send its credentials to the token server in the body or as a signed assertion", async () => {
    const tokenServer = await scriptedServer(issued);
    const server = await scriptedServer(brands);
    const common = { clientId: "app", tokenUrl: tokenServer.address };
    for (const token of [
      clientCredentials({ ...common, clientSecret: "s", sendSecretIn: "body" }),
      clientCredentials({ ...common, assertion: async () => "signed" }),
    ])
      await connect(server.address, { token }).call(listBrands);
    expect(tokenServer.arrivals.map(formOf)).toMatchObject([
      { client_id: "app", client_secret: "s" },
      { client_id: "app", client_assertion: "signed" },
    ]);
  });

  it.each([
    [
      "a refusal of the credentials",
      raw('{"error":"canary"}', "application/json", 401),
      "refused the client",
    ],
    ["JSON without a token", json({ access_token: "" }), "no usable token"],
    ["an HTML page", raw("<p>canary", "text/html"), "no usable token"],
    ["a redirect", raw("", "text/html", 302, { location: "/canary" }), "no usable token"],
  ])(
    "a call fails after one request to the token server if the server's answer contains no token: %s",
    async (_, reply, text) => {
      const tokenServer = await scriptedServer(reply);
      const token = clientCredentials({ ...identity, tokenUrl: tokenServer.address });
      const gateway = connect(NOBODY_LISTENS, { token });
      const failure = await failureOf(gateway.call(listBrands));
      expect(failure).toMatchObject({ name: "TokenError", outcome: "not_sent", retry: "never" });
      expect(String(failure)).toContain(text);
      expect(String(failure)).not.toContain("canary");
      expect(tokenServer.arrivals).toHaveLength(1);
    },
  );

  it("a call reports a failed token server, and is safe to repeat, if the token server answers 503 and then does not answer", async () => {
    const tokenServer = await scriptedServer(raw("canary", "text/html", 503), silence);
    const token = clientCredentials({ ...identity, tokenUrl: tokenServer.address });
    const gateway = connect(NOBODY_LISTENS, { token, timeout: 1_000 });
    const failure = await failureOf(gateway.call(listBrands));
    expect(failure).toMatchObject({ name: "TokenError", outcome: "not_sent", retry: "safe" });
    expect(String(failure)).toContain("could not be reached, or failed");
    expect(String(failure)).not.toContain("canary");
    expect(tokenServer.arrivals).toHaveLength(2);
  });

  it.each([
    [
      "the misspelt `clientSecrt`",
      { clientSecrt: "s" },
      "clientSecrt is not accepted; did you mean",
    ],
    [
      "an invalid `sendSecretIn`",
      { sendSecretIn: "query" },
      "sendSecretIn must be `header` or `body`",
    ],
    [
      "a missing `clientSecret`",
      { clientSecret: undefined },
      "either clientSecret or assertion must be given",
    ],
    [
      "`sendSecretIn` with `assertion`",
      { clientSecret: undefined, assertion: () => "a", sendSecretIn: "body" },
      "sendSecretIn cannot be combined with assertion",
    ],
  ])("the client refuses client credentials with a wrong option: %s", (_, options, text) => {
    const given = { ...identity, tokenUrl: "https://login.example", ...options } as never;
    expect(() => clientCredentials(given)).toThrow(text);
  });

  it("the client names every fault of client credentials with a wrong address and without a secret", () => {
    expect(() => clientCredentials({ tokenUrl: "x", clientId: "" })).toThrow(ConfigurationError);
    expect(() => clientCredentials({ tokenUrl: "x", clientId: "" })).toThrow(
      /tokenUrl must be .*clientId must .*clientSecret or assertion/,
    );
  });
});
