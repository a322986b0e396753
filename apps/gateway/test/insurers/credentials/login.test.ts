import { afterEach, describe, expect, it } from "vitest";
import { applicationBody } from "../../harness/applications.ts";
import { json } from "../../harness/insurer.ts";
import { problemIn } from "../../harness/problem.ts";
import { type CredentialSite, startCredentialSite } from "./credential-site.ts";

let site: CredentialSite & { stop(): Promise<void> };
afterEach(() => site.stop());

/** Adapter that logs in with one request, and sends the session in the header `X-Session`. */
const loggingIn = `
export const adapter = { ...declared, name: "own", async login({ password, username }, send) {
  const response = await send({
    method: "POST",
    path: "/login",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  });
  if (response.status === 401) return { headers: null, expiresInSeconds: null };
  const { session, seconds } = JSON.parse(await response.text());
  return { headers: { "X-Session": session }, expiresInSeconds: seconds };
} };`;

const login = { type: "login", username: { env: "USER_D" }, password: { env: "PASSWORD_D" } };
const apiKey = { type: "apiKey", header: "X-Api-Key", value: { env: "KEY_D" } };
const environment = { USER_D: "broker", PASSWORD_D: "pä ss", KEY_D: "key-1" };

async function start(credentials: unknown, dialect = loggingIn): Promise<void> {
  site = await startCredentialSite({ dialect, credentials: () => credentials, environment });
}

/**
 * Makes the insurer answer logins with `session-1`, `session-2` and so on, for five minutes; only the last is valid.
 */
function takeLogins(): void {
  const { behaviour } = site.insurer;
  let sessions = 0;
  site.insurer.behaviour = (response, arrival) => {
    if (arrival.url !== "/api/login") return behaviour(response, arrival);
    sessions += 1;
    json(200, { session: `session-${sessions}`, seconds: 300 })(response, arrival);
  };
  site.accepts = ({ headers }) => headers["x-session"] === `session-${sessions}`;
}

function logins(): typeof site.insurer.arrivals {
  return site.insurer.arrivals.filter(({ url }) => url === "/api/login");
}

describe("a login call", () => {
  it("all calls to an insurer share one login, and the login request has the insurer's API key", async () => {
    await start([apiKey, login]);
    takeLogins();
    const answers = await Promise.all(Array.from({ length: 30 }, () => site.search()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await site.submit(applicationBody())).status).toBe(201);
    expect(logins()).toHaveLength(1);
    expect(JSON.parse(logins()[0]?.body ?? "")).toEqual({ username: "broker", password: "pä ss" });
    for (const { headers } of site.insurer.arrivals)
      expect(headers).toMatchObject({ "x-api-key": "key-1", via: "1.1 insurance-gateway" });
    expect(logins()[0]?.headers["x-session"]).toBeUndefined();
  });

  it("the gateway logs in again after the insurer has ended the session, and shortly before the session expires", async () => {
    await start(login);
    takeLogins();
    await site.search();
    site.accepts = ({ headers }) => headers["x-session"] === "session-2";
    expect((await site.search()).status).toBe(200);
    site.time.forward(299_000);
    site.accepts = ({ headers }) => headers["x-session"] === "session-3";
    expect((await site.search()).status).toBe(200);
    expect(logins()).toHaveLength(3);
  });

  it.each([
    ["the insurer refuses the login", json(401, {}), "PROVIDER_AUTH_FAILED"],
    ["the adapter cannot read the answer", json(200, "<html>"), "PROVIDER_UNREACHABLE"],
    ["the session has a line break", json(200, { session: "a\nb" }), "PROVIDER_UNREACHABLE"],
  ])(
    "the gateway does not send a call to the insurer if the login before the call fails: %s",
    async (_, behaviour, code) => {
      site = await startCredentialSite({
        dialect: loggingIn,
        credentials: () => login,
        environment,
        provider: { timeouts: { totalMs: 1_000, submissionMs: 1_000 } },
      });
      site.insurer.behaviour = behaviour;
      const answers = [site.search(), site.submit(applicationBody())];
      for (const answer of answers)
        expect(await problemIn(await answer)).toMatchObject({ code, outcome: "not_sent" });
      expect(logins()).toHaveLength(site.insurer.arrivals.length);
    },
  );
});

describe("user name and password in messages", () => {
  it("the adapter receives the configured user name and password if the insurer expects both in each message", async () => {
    const writing = `export const adapter = { ...declared, name: "own",
      call: (endpoint, input, send, context) => declared.call(endpoint, input, (request) =>
        send({ ...request, headers: { ...request.headers, "x-user": context.login.username,
          "x-password": encodeURIComponent(context.login.password) } }), context) };`;
    await start({ ...login, type: "message" }, writing);
    site.accepts = ({ headers }) =>
      headers["x-user"] === "broker" && headers["x-password"] === "p%C3%A4%20ss";
    expect((await site.search()).status).toBe(200);
    expect(site.insurer.arrivals[0]?.headers.authorization).toBeUndefined();
  });
});
