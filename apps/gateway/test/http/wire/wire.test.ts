import { type Gateway, ProblemError, RequestInvalidError } from "@insurance-gateway/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GatewayInProcess } from "../../harness/gateway-in-process.ts";
import { type Arrival, type Insurer, json } from "../../harness/insurer.ts";
import { providerWire } from "./wire-provider.ts";
import { startWireSite, type WireSite } from "./wire-site.ts";

let gateway: GatewayInProcess;
let insurer: Insurer;
let application: Gateway;
let site: WireSite;
beforeAll(async () => {
  site = await startWireSite();
  ({ application, gateway, insurer } = site);
});
afterAll(() => site.stop());

const client = (): ReturnType<typeof application.provider<typeof providerWire>> =>
  application.provider(providerWire);

function lastArrival(): Arrival | undefined {
  return insurer.arrivals.at(-1);
}

/** Sends a request without this project's client. */
async function send(
  target: string,
  init: { readonly method?: string; readonly headers?: object; readonly body?: string } = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${gateway.token}`, ...init.headers };
  return fetch(`${gateway.address}/provider-wire${target}`, { ...init, headers });
}

async function faultsOf(response: Response): Promise<readonly string[]> {
  const { errors = [] } = (await response.json()) as {
    errors?: readonly { readonly pointer: string; readonly code: string }[];
  };
  return errors.map(({ code, pointer }) => `${pointer} ${code}`);
}

describe("paths", () => {
  it("two methods of the same path may use different names for the path parameter", async () => {
    insurer.behaviour = json(200, { name: "one" });
    expect(await client().readPolicy({ params: { policy_id: "Ω-1" } })).toEqual({ name: "one" });
    expect(lastArrival()).toMatchObject({ method: "GET", url: "/api/policies/%CE%A9-1" });
    insurer.behaviour = (response) => response.writeHead(204).end();
    await client().cancelPolicy({ params: { "policy-id": "Ω-1" } });
    expect(lastArrival()).toMatchObject({ method: "DELETE", url: "/api/policies/%CE%A9-1" });
  });

  it("a path may have literal text beside a parameter, and a route with a literal segment wins over a route with a parameter", async () => {
    insurer.behaviour = json(200, { name: "one" });
    await client().readSheet({ params: { number: 7 } });
    expect(lastArrival()?.url).toBe("/api/sheets/s7.v1");
    await client().renew({ params: { id: "new" } });
    expect(lastArrival()?.url).toBe("/api/policies/new:renew");
    await client().readBlankPolicy();
    expect(lastArrival()?.url).toBe("/api/policies/new");
    expect((await send("/sheets/s.v1")).status).toBe(404);
    expect(await faultsOf(await send("/sheets/sx.v1"))).toEqual(["/path/number TYPE"]);
  });

  it("the 405 answer to an unsupported method lists the methods of the path, and the gateway accepts path parameters of 200 letters", async () => {
    const refused = await send("/policies/P-1", { method: "PUT", body: "{}" });
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, DELETE"]);
    const id = "Ω".repeat(200);
    expect(await client().readPolicy({ params: { policy_id: id } })).toEqual({ name: "one" });
  });
});

describe("queries", () => {
  const filter = { from: "2026-01-01", active: true, most: 0.1 + 0.2 };

  it("the insurer receives objects and lists of a query as the client sent them, repeated or joined by commas", async () => {
    insurer.behaviour = json(200, [{ name: "one" }]);
    const query = { ids: [1, -2.5, 1e21], tags: ["a b", "γ"], filter, exact: false };
    expect(await client().listPrices({ query })).toEqual([{ name: "one" }]);
    const asked = new URL(lastArrival()?.url ?? "", "http://insurer").searchParams;
    expect([...asked]).toEqual([
      ["ids", "1"],
      ["ids", "-2.5"],
      ["ids", "1e+21"],
      ["tags", "a b,γ"],
      ["filter[from]", "2026-01-01"],
      ["filter[active]", "true"],
      ["filter[most]", "0.30000000000000004"],
      ["exact", "false"],
    ]);
  });

  it.each([
    ["ids=1&ids=x&filter[from]=a", ["/query/ids/1 TYPE"]],
    ["ids=1&filter[from]=a&filter[from]=b", ["/query/filter/from REPEATED"]],
    ["ids=1&filter[from]=a&filter[to]=b", ["/query/filter/to UNKNOWN_FIELD"]],
    ["ids=1&filter=a", ["/query/filter TYPE"]],
    ["ids=1&filter[from]=a&tags=a&tags=b", ["/query/tags REPEATED"]],
    ["ids=1&filter[from]=a&exact=true&exact=true", ["/query/exact REPEATED"]],
    ["filter[from]=a", ["/query/ids REQUIRED"]],
    ["ids=1&filter[from]=a&other[from]=b", ["/query UNKNOWN_FIELD"]],
    ["ids=1&filter[from]=a&filter[__proto__]=b", ["/query/filter/__proto__ UNKNOWN_FIELD"]],
    ["ids=1&filter[from]=a&filter[from][x]=b", ["/query UNKNOWN_FIELD"]],
  ])(
    "the gateway refuses an invalid query, and the problem names the faulty parameter: %s",
    async (query, faults) => {
      const before = insurer.arrivals.length;
      const response = await send(`/prices?${query}`);
      expect([response.status, await faultsOf(response)]).toEqual([400, faults]);
      expect(insurer.arrivals.length).toBe(before);
    },
  );

  it("the client refuses a list item that contains a comma if the query joins the items of the list with commas", async () => {
    const call = client().listPrices({ query: { ids: [1], tags: ["a,b"], filter } });
    await expect(call).rejects.toSatisfy((error) => RequestInvalidError.isInstance(error));
    await expect(call).rejects.toMatchObject({
      errors: [
        {
          pointer: "/query/tags",
          code: "FORMAT",
          message: expect.stringContaining("must have no comma in an item"),
        },
      ],
    });
  });
});

describe("request headers", () => {
  const body = { name: "one" };
  const sent = { ...body, name: "two" };

  it("declared request headers reach the insurer unchanged, and undeclared headers do not", async () => {
    insurer.behaviour = json(201, { orderId: "O-1" });
    await client().createOrder({
      headers: { "x-agent": "A 1", "x-lines": [1, 2], "x-sandbox-scenario": "ANY" },
      body,
    });
    expect(lastArrival()?.headers).toMatchObject({ "x-agent": "A 1", "x-lines": "1,2" });
    const response = await send("/orders", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "X-Agent": "A 2",
        "x-other": "no",
        "x-lines": "3, 4",
      },
      body: JSON.stringify(sent),
    });
    expect(response.status).toBe(201);
    expect(lastArrival()?.headers).toMatchObject({ "x-agent": "A 2", "x-lines": "3,4" });
    expect(lastArrival()?.headers).not.toHaveProperty("x-other");
  });

  it.each([
    [{}, ["/headers/x-agent REQUIRED"]],
    [{ "x-agent": "A", "x-lines": "1,b" }, ["/headers/x-lines/1 TYPE"]],
    [{ "x-agent": "é" }, ["/headers/x-agent FORMAT"]],
  ])(
    "the gateway refuses invalid request headers, and the problem names the faulty header: %j",
    async (headers, faults) => {
      const response = await send("/orders", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      expect([response.status, await faultsOf(response)]).toEqual([400, faults]);
    },
  );

  it("the client refuses a header value with a character that HTTP does not allow in headers", async () => {
    const call = client().createOrder({ headers: { "x-agent": "Ελένη" }, body });
    await expect(call).rejects.toMatchObject({
      errors: [{ pointer: "/headers/x-agent", code: "FORMAT" }],
    });
  });

  it("two submissions with the same body count as different if a declared header of the requests differs", async () => {
    insurer.behaviour = json(201, { orderId: "O-1" });
    const ask = async (agent: string): Promise<string | null> => {
      const response = await send("/orders", {
        method: "POST",
        headers: { "content-type": "application/json", "x-agent": agent },
        body: JSON.stringify({ name: "same" }),
      });
      await response.arrayBuffer();
      return response.headers.get("idempotency-replayed");
    };
    expect([await ask("A"), await ask("B"), await ask("A")]).toEqual([null, null, "true"]);
  });
});

describe("answers", () => {
  const order = (name: string): Parameters<ReturnType<typeof client>["createOrder"]>[0] => ({
    headers: { "x-agent": "A" },
    body: { name },
  });

  it("the client gives an answer the TypeScript type that is declared for the answer's status", async () => {
    insurer.behaviour = json(202, { queue: "Q-1" });
    const answer = await client().createOrder(order("202")).withResponse();
    expect(answer).toMatchObject({ status: 202, data: { queue: "Q-1" } });
    if (answer.status === 202) expect(answer.data.queue).toBe("Q-1");
  });

  it("the client returns undefined for an answer without a body, and a repeated submission gets the same empty answer", async () => {
    insurer.behaviour = (response) => response.writeHead(204).end();
    expect(await client().createOrder(order("204"))).toBeUndefined();
    const key = "order-204";
    const first = await client()
      .createOrder({ ...order("again"), idempotencyKey: key })
      .withResponse();
    const before = insurer.arrivals.length;
    const again = await client()
      .createOrder({ ...order("again"), idempotencyKey: key })
      .withResponse();
    expect(insurer.arrivals.length).toBe(before);
    for (const { data, response, status } of [first, again]) {
      expect([status, data]).toEqual([204, undefined]);
      expect(response.headers).not.toHaveProperty("content-type");
    }
    expect(again.response.headers["idempotency-replayed"]).toBe("true");
    const submissionId = first.response.headers.location?.split("/").at(-1) ?? "";
    expect(await application.submission(submissionId)).toMatchObject({
      state: "succeeded",
      answer: { status: 204, body: null },
    });
  });

  it("an answer with an undeclared status leaves the outcome of a submission `unknown`", async () => {
    insurer.behaviour = json(200, { orderId: "O-1" });
    await expect(client().createOrder(order("200"))).rejects.toMatchObject({
      code: "OUTCOME_UNKNOWN",
    });
  });

  it("the caller receives the declared headers of an answer as the insurer sent them, and no undeclared headers", async () => {
    insurer.behaviour = json(200, { id: "1" }, { "x-total": "17", "x-other": "no" });
    const { response } = await client().readTotal().withResponse();
    expect(response.headers["x-total"]).toBe("17");
    expect(response.headers).not.toHaveProperty("x-note");
    expect(response.headers).not.toHaveProperty("x-other");
  });

  it.each([{}, { "x-total": "many" }, { "x-total": "1", "x-note": " é" }])(
    "the gateway refuses an answer with missing or invalid declared headers: %j",
    async (headers) => {
      insurer.behaviour = json(200, { id: "1" }, { ...headers });
      await expect(client().readTotal()).rejects.toSatisfy(
        (error) => ProblemError.isInstance(error) && error.code === "PROVIDER_BAD_RESPONSE",
      );
    },
  );

  it("the client returns a 64-bit number as a text of digits, even if the field is not declared", async () => {
    insurer.behaviour = json(
      200,
      '{"id":9007199254740993,"other":{"id":-9223372036854775808,"small":12.50}}',
      { "x-total": "1" },
    );
    expect(await client().readTotal()).toEqual({
      id: "9007199254740993",
      other: { id: "-9223372036854775808", small: 12.5 },
    });
  });
});
