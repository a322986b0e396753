import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { Script } from "node:vm";
import { generate } from "selfsigned";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OperationsServer, startOperationsServer, trafficOf } from "./operations-server.ts";

let server: OperationsServer;
beforeEach(async () => {
  server = await startOperationsServer();
});
afterEach(() => server.close());

const pages = ["/", "/health/live", "/health/ready", "/metrics", "/providers"];

describe("the server of the operations address", () => {
  it("the operations address reports that the gateway's process runs", async () => {
    const response = await server.get("/health/live");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "live" });
  });

  it.each([
    ["gateway.internal", 200],
    ["localhost:9090", 200],
    ["10.1.2.3", 200],
    ["[::1]:9090", 200],
    ["evil.example", 421],
    ["evil.example:9090", 421],
  ])(
    "the operations address answers a request for the host %s with %i, as a protection against web pages",
    async (host, status) => {
      const { port } = new URL(server.address);
      const answered = Promise.withResolvers<number | undefined>();
      request({ host: "127.0.0.1", port, path: "/providers", headers: { host } }, (response) => {
        response.resume();
        answered.resolve(response.statusCode);
      }).end();
      expect(await answered.promise).toBe(status);
    },
  );

  it.each(["1.0", "1.1"])(
    "the operations address answers 421 to a request without a host name over HTTP/%s",
    async (version) => {
      const { port } = new URL(server.address);
      const socket = connect(Number(port), "127.0.0.1");
      socket.end(`GET /providers HTTP/${version}\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 421 /);
    },
  );

  it("the operations address answers 421 to a request about accounts with a wrong host name, despite the right token", async () => {
    const token = "operator-token-7c1d-6f02-4b5e-9a31";
    const refused = (): never => {
      throw new Error("It must not be asked");
    };
    const accounts = {
      token: () => token,
      administration: refused,
      verify: refused,
      guessed: refused,
    };
    const administering = await startOperationsServer({ accounts });
    const { port } = new URL(administering.address);
    const answered = Promise.withResolvers<number | undefined>();
    const headers = { host: "evil.example", authorization: `Bearer ${token}` };
    request({ host: "127.0.0.1", port, path: "/accounts", headers }, (response) => {
      response.resume();
      answered.resolve(response.statusCode);
    }).end();
    expect(await answered.promise).toBe(421);
    await administering.close();
  });

  it("the gateway can close the operations address while an answer is sent", async () => {
    const asked = Promise.withResolvers<void>();
    const read = (): Promise<never> => {
      asked.resolve();
      return new Promise(() => {});
    };
    const metrics = { contentType: "text/plain", read };
    const hanging = await startOperationsServer({ metrics });
    const answer = expect(hanging.get("/metrics")).rejects.toThrow();
    await asked.promise;
    await hanging.close();
    await answer;
  });

  it("the gateway can close the operations address during a TLS handshake", async () => {
    const { cert, private: key } = await generate([{ name: "commonName", value: "operator" }]);
    const tls = { certificate: cert, key };
    const secure = await startOperationsServer({ tls });
    const socket = connect(Number(new URL(secure.address).port), "127.0.0.1");
    const closed = once(socket, "close");
    await once(socket, "connect");
    // The answer to a later connection shows that the server has accepted the first connection.
    await secureAnswer(secure.address);
    await secure.close();
    await closed;
  });

  it("the operations address reports whether the gateway is ready for requests", async () => {
    const ready = await server.get("/health/ready");
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }]);
    server.ready = false;
    const not = await server.get("/health/ready");
    expect([not.status, await not.json()]).toEqual([503, { status: "not ready" }]);
  });

  it.each([...pages, "/nothing", "/%zz"])(
    "the operations address sends headers that restrict browsers with %s",
    async (path) => {
      const { headers } = await server.get(path);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    },
  );

  it.each(["/nothing", "/health", "/providers/", "/metrics/x", "/%zz", "/health/live%2f"])(
    "the operations address answers 404 for %s",
    async (path) => {
      const response = await server.get(path);
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
      expect(await response.json()).toMatchObject({ status: 404 });
    },
  );

  it.each(pages)("the operations address allows only GET and HEAD for %s", async (path) => {
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const body = method === "POST" ? "{" : null;
      const response = await fetch(server.address + path, { method, body });
      expect(response.status, method).toBe(405);
      expect(response.headers.get("allow")).toBe("GET, HEAD");
      expect(await response.json()).toMatchObject({ status: 405 });
    }
    expect((await fetch(server.address + path, { method: "HEAD" })).status).toBe(200);
  });

  it("the operations address answers an internal error with 500 without the error's text, and logs the error's places in code", async () => {
    const words = "duplicate key (afm)=(123456783)";
    const failed = (): Promise<never> => Promise.reject(new Error(words));
    const metrics = { contentType: "text/plain", read: failed, collect: failed };
    const failing = await startOperationsServer({ metrics });
    const response = await failing.get("/metrics");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("duplicate");
    await failing.close();
    const line: Record<string, unknown> = JSON.parse(failing.log[0] ?? "{}");
    expect(line).toMatchObject({ msg: "an operations page failed", failure: { kind: "Error" } });
    expect(failing.log.join("")).not.toContain("duplicate");
  });
});

describe("the operator's page", () => {
  it("the operator's page may use only the page's own script and style, and may request only the operations address", async () => {
    const response = await server.get("/");
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const html = await response.text();
    const policy = response.headers.get("content-security-policy") ?? "";
    const only = (name: string): string => {
      const [found, ...more] = [...html.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))];
      expect(more).toEqual([]);
      return `${name}-src 'sha256-${digest(found?.[1] ?? "")}'`;
    };
    expect(policy.split("; ").toSorted()).toEqual(
      [
        "default-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "connect-src 'self'",
        only("script"),
        only("style"),
      ].toSorted(),
    );
  });

  it("the operator's page contains only existing paths of the operations address", async () => {
    const html = await (await server.get("/")).text();
    expect(html).not.toMatch(/https?:|[("'=]\/\/|@import|url\(/i);
    const paths = [...html.matchAll(/(?:href=|src=|fetch\()"([^"]*)"/g)].map(([, path]) => path);
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths)
      expect((await fetch(new URL(path ?? "", `${server.address}/`))).status, path).toBe(200);
  });

  it("the operator's page has a valid script that inserts no HTML", async () => {
    const html = await (await server.get("/")).text();
    const [, script = ""] = /<script>(.*?)<\/script>/s.exec(html) ?? [];
    // The test only compiles the script, and does not run the script.
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval/);
  });

  it("the operator's page mentions every field of the list of providers", async () => {
    server.traffic = [trafficOf("motor")];
    const list: { items: object[] } = JSON.parse(await (await server.get("/providers")).text());
    const html = await (await server.get("/")).text();
    for (const field of Object.keys(list.items[0] ?? {}).filter((name) => name !== "breaker"))
      expect.soft(html, field).toMatch(new RegExp(`\\b${field}\\b`));
  });
});

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

/** Sends a request to an HTTPS server with a self-signed certificate. */
async function secureAnswer(address: string): Promise<void> {
  const answered = Promise.withResolvers<void>();
  const options = { rejectUnauthorized: false, agent: false };
  secureRequest(`${address}/health/live`, options, (response) => {
    response.resume();
    response.once("end", () => answered.resolve());
  }).end();
  await answered.promise;
}
