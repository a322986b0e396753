import { specificationRequests } from "@insurance-gateway/specification";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../harness/insurer.ts";

let insurer: Insurer;
beforeAll(async () => {
  insurer = await startInsurer(json(200, { items: [] }));
});
beforeEach(() => {
  insurer.arrivals.length = 0;
  insurer.behaviour = json(200, { items: [] });
});
afterAll(() => insurer.close());

async function withGateway(
  letter: string,
  more: object,
  environment: Readonly<Record<string, string>>,
  use: (gateway: GatewayInProcess) => Promise<void>,
  listen: object = {},
): Promise<void> {
  const providers = [insurerConfiguration(letter, insurer.baseUrl, more)];
  const gateway = await startInProcess({ providers, listen }, environment);
  try {
    await use(gateway);
  } finally {
    await gateway.stop();
  }
}

function ask(
  gateway: GatewayInProcess,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return gateway.ask(path, { headers });
}

describe("requests to the insurer", () => {
  it("a request to the insurer continues the caller's trace (W3C Trace Context)", () =>
    withGateway("a", {}, {}, async (gateway) => {
      const traceId = "0af7651916cd43dd8448eb211c80319c";
      await ask(gateway, "/provider-a/auto/brands", {
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      });
      const [arrival] = insurer.arrivals;
      expect(arrival?.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    }));

  it("a request to the insurer has the declared parameters, and no other headers of the caller", () =>
    withGateway("a", {}, {}, async (gateway) => {
      const response = await ask(gateway, "/provider-a/auto/brands", {
        cookie: "session=1",
        "x-forwarded-for": "10.0.0.1",
        "x-sandbox-scenario": "UNAVAILABLE",
        "x-request-id": "chosen-by-the-caller",
        via: "1.1 somebody",
      });
      expect(response.status).toBe(200);
      const [arrival] = insurer.arrivals;
      expect(arrival).toMatchObject({ method: "GET", url: "/api/auto/brands", body: "" });
      expect(Object.keys(arrival?.headers ?? {}).toSorted()).toEqual(
        [
          "accept",
          "accept-encoding",
          "connection",
          "host",
          "traceparent",
          "via",
          "x-request-id",
        ].toSorted(),
      );
      expect(arrival?.headers["x-request-id"]).toBe(response.headers.get("x-request-id"));
      expect(arrival?.headers.via).toBe("1.1 insurance-gateway");
    }));

  it("the insurer receives the Greek letters of a checked body unchanged", () =>
    withGateway("d", {}, {}, async (gateway) => {
      const request = specificationRequests().find(({ number }) => number === 4);
      insurer.behaviour = json(500, {});
      await gateway.ask("/provider-d/applications", { json: request?.body });
      const [arrival] = insurer.arrivals;
      expect(arrival).toMatchObject({ method: "POST", url: "/api/applications" });
      expect(JSON.parse(arrival?.body ?? "")).toEqual(request?.body);
      expect(arrival?.headers["content-type"]).toBe("application/json");
    }));

  it("a paged request to the insurer always has `start` and `limit`, even if the caller sends neither", () =>
    withGateway("d", {}, {}, async (gateway) => {
      insurer.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0 });
      await ask(gateway, "/provider-d/applications/search?clientAfm=123456789");
      await ask(gateway, "/provider-d/applications/search?clientAfm=123456789&start=41&limit=5");
      const asked = insurer.arrivals.map(({ url }) =>
        new URL(url, insurer.baseUrl).searchParams.toString(),
      );
      expect([...new Set(asked)]).toEqual([
        "clientAfm=123456789&start=1&limit=20",
        "clientAfm=123456789&start=41&limit=5",
      ]);
    }));

  const credentials: readonly [object, Record<string, string>, string, string][] = [
    [
      { type: "bearer", token: { env: "TOKEN_D" } },
      { TOKEN_D: "s3cret" },
      "authorization",
      "Bearer s3cret",
    ],
    [
      { type: "basic", username: { env: "USER_D" }, password: { env: "PASSWORD_D" } },
      { USER_D: "broker", PASSWORD_D: "pa ss" },
      "authorization",
      `Basic ${btoa("broker:pa ss")}`,
    ],
    [
      { type: "apiKey", header: "X-Api-Key", value: { env: "KEY_D" } },
      { KEY_D: "k-1" },
      "x-api-key",
      "k-1",
    ],
  ];
  it.each(credentials)(
    "a request to the insurer has the gateway's credentials in place of the caller's token: %o",
    (configured, environment, header, value) =>
      withGateway("a", { credentials: configured }, environment, async (gateway) => {
        await ask(gateway, "/provider-a/auto/brands");
        expect(insurer.arrivals[0]?.headers[header]).toBe(value);
        expect(JSON.stringify(insurer.arrivals)).not.toContain(gateway.token);
      }),
  );

  it("the gateway finds providers only below the configured path prefix", () =>
    withGateway(
      "a",
      {},
      {},
      async (gateway) => {
        expect(gateway.address).toMatch(/\/insurance$/);
        expect((await ask(gateway, "/provider-a/auto/brands")).status).toBe(200);
        const without = gateway.address.replace(/\/insurance$/, "");
        const response = await fetch(`${without}/provider-a/auto/brands`, {
          headers: { authorization: `Bearer ${gateway.token}` },
        });
        expect(response.status).toBe(404);
      },
      { basePath: "/insurance" },
    ));

  it("the `Location` of a submission begins with the configured path prefix", () =>
    withGateway(
      "d",
      {},
      {},
      async (gateway) => {
        insurer.behaviour = json(500, {});
        const response = await submitApplication(gateway, applicationBody());
        const address = /^\/insurance\/submissions\/[0-9a-f-]{36}$/;
        expect(response.headers.get("location")).toMatch(address);
        expect(await response.json()).toMatchObject({
          reconciliation: { href: expect.stringMatching(address) },
        });
      },
      { basePath: "/insurance" },
    ));

  it("the gateway serves a provider below the path segment that the configuration names", async () => {
    const provider = { ...insurerConfiguration("a", insurer.baseUrl), segment: "acme" };
    const gateway = await startInProcess({ providers: [provider] });
    expect((await ask(gateway, "/acme/auto/brands")).status).toBe(200);
    expect((await ask(gateway, "/provider-a/auto/brands")).status).toBe(404);
    await gateway.stop();
  });
});

describe("answers to the caller", () => {
  it("the ETag of a lookup answer is weak if the insurer's ETag is weak, and a search answer has no ETag", async () => {
    const etag = { etag: 'W/"v1"' };
    await withGateway("a", {}, {}, async (gateway) => {
      insurer.behaviour = json(200, { items: [] }, etag);
      const response = await ask(gateway, "/provider-a/auto/brands");
      expect(response.headers.get("etag")).toMatch(/^W\/"[\w-]{43}"$/);
    });
    await withGateway("d", {}, {}, async (gateway) => {
      insurer.behaviour = json(200, { items: [], start: 1, limit: 20, total: 0 }, etag);
      const response = await ask(gateway, "/provider-d/applications/search?clientAfm=123456789");
      expect([response.status, response.headers.get("etag")]).toEqual([200, null]);
    });
  });

  it("the caller receives the insurer's JSON text unchanged, even undeclared fields", () =>
    withGateway("a", {}, {}, async (gateway) => {
      const text = '{ "items": [ {"code":"TOY","name":"Toyota","founded":1.0e3} ], "more": null }';
      insurer.behaviour = json(200, text, { etag: '"v1"', "set-cookie": "a=b", server: "x" });
      const response = await ask(gateway, "/provider-a/auto/brands");
      expect(await response.text()).toBe(text);
      expect(response.headers.get("etag"), "a digest of the insurer's ETag").toMatch(
        /^"[\w-]{43}"$/,
      );
      // The test harness sets `freshMinutes` to 0, so callers must revalidate.
      expect(response.headers.get("cache-control")).toBe("private, no-cache");
      expect([response.headers.get("set-cookie"), response.headers.get("server")]).toEqual([
        null,
        null,
      ]);
    }));
});

describe("an insurer's JSON", () => {
  it("the gateway accepts the insurer's media type application/json in any capitals and with parameters", () =>
    withGateway("a", {}, {}, async (gateway) => {
      const headers = { "content-type": "Application/JSON ; charset=utf-8" };
      insurer.behaviour = json(200, { items: [] }, headers);
      expect((await ask(gateway, "/provider-a/auto/brands")).status).toBe(200);
    }));

  /** Writes a list of brands with a further field of the given depth. */
  const nested = (levels: number): string =>
    `{"items":[],"more":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

  const asked = async (body: string): Promise<{ status: number; text: string }> => {
    insurer.behaviour = json(200, body);
    let answer = { status: 0, text: "" };
    await withGateway("a", {}, {}, async (gateway) => {
      const response = await ask(gateway, "/provider-a/auto/brands");
      answer = { status: response.status, text: await response.text() };
    });
    return answer;
  };

  it.each([
    ["nested 64 levels deep", nested(64)],
    [
      "with brackets in its strings",
      `{"items":[],"more":["${"[".repeat(99)}","\\"${"{".repeat(99)}","\\\\"]}`,
    ],
    ["with half of a surrogate pair", '{"items":[],"more":"\\ud800"}'],
    ["with a repeated name", '{"items":[],"more":1,"more":2}'],
  ])("the gateway passes on an insurer's unusual JSON unchanged: %s", async (_, body) => {
    expect(await asked(body)).toEqual({ status: 200, text: body });
  });

  it.each([65, 100_000])(
    "the gateway refuses an insurer's JSON that is nested %i levels deep",
    async (levels) => {
      const { status, text } = await asked(nested(levels));
      expect(status).toBe(502);
      expect(JSON.parse(text)).toMatchObject({ code: "PROVIDER_BAD_RESPONSE", outcome: "unknown" });
    },
  );

  it("a submission is `unknown` if the JSON of the insurer's answer is nested too deeply", async () => {
    insurer.behaviour = json(201, nested(100_000));
    await withGateway("d", {}, {}, async (gateway) => {
      const response = await submitApplication(gateway, applicationBody());
      expect(await response.json()).toMatchObject({ status: 504, code: "OUTCOME_UNKNOWN" });
    });
  });
});
